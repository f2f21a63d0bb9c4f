"""Which month does a word mean?

By whole words in the languages whose pages most often write months as words, in the forms used with a day.
Chinese, Japanese and Korean write numbers instead.
"""

from typing import Final

__all__ = ["MONTHS"]

_LANGUAGES: Final = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feb mär apr mai jun jul aug sept okt nov dez",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv févr mars avr mai juin juil août sept oct nov déc",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ene feb mar abr may jun jul ago sept oct nov dic",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gen feb mar apr mag giu lug ago set ott nov dic",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "jan fev mar abr mai jun jul ago set out nov dez",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "januar februar mars april mai juni juli august september oktober november desember",
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta "
    "lokakuuta marraskuuta joulukuuta",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
    "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "януари февруари март април май юни юли август септември октомври ноември декември",
    "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
    "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου "
    "δεκεμβρίου",
    "január február március április május június július augusztus szeptember október november december",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
)
"""If a word means different months in two languages (Croatian and Polish `listopada`), the first counts."""


def _months() -> dict[str, int]:
    found: dict[str, int] = {}
    for names in _LANGUAGES:
        for number, name in enumerate(names.split(), start=1):
            found.setdefault(name, number)
    return found


MONTHS: Final = _months()
