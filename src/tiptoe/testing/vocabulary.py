"""Which words does the simulated web know?

Everyday words of each language: small ones that hold a sentence together and on
which language detection relies, and nouns that fill it. All letters exist in UTF-8,
windows-1250 and ISO-8859-2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["WORDS", "Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one language: `glue` joins, `content` fills, the rest is on every page."""

    glue: tuple[str, ...]
    content: tuple[str, ...]
    home: str
    notice: str


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS: Final[Mapping[str, Words]] = {
    "cs": Words(
        _split(
            "a v na se je že s z do to k i o ale pro jako by který za byl po tak od při jsou také podle "
            "už když jen až nebo co před jeho však ještě které může mezi pod není bylo kde proto než "
            "však těchto této ve ze své jejich protože dnes letos vždy velmi"
        ),
        _split(
            "město práce člověk řeka škola dům rok den život země voda les kniha cesta světlo večer ráno "
            "rodina dítě starosta náměstí zahrada nádraží most kostel počasí sníh léto zima podzim jaro "
            "výstava divadlo hudba píseň příběh otázka odpověď řešení výzkum jazyk slovník překlad věta "
            "korpus text soubor příklad úřad vláda zákon soud průmysl továrna stroj elektřina doprava "
            "železnice vlak autobus letiště pole úroda chléb mléko ovoce jablko zelenina kuchyně lékař "
            "nemocnice zdraví pohyb závod vítěz družstvo trenér hřiště míč výsledek počet část důvod"
        ),
        "Úvodní stránka",
        "Tyto stránky používají soubory, které pomáhají měřit návštěvnost; užíváním stránek s tím "
        "návštěvník souhlasí a bere na vědomí, že obsah podléhá autorskému právu.",
    ),
    "sk": Words(
        _split(
            "a v na sa je že s z do to k aj o ale pre ako by ktorý za bol po tak od pri sú tiež podľa "
            "už keď len až alebo čo pred jeho však ešte ktoré môže medzi pod nie bolo kde preto než "
            "týchto tejto vo zo svoje ich pretože dnes tento vždy veľmi"
        ),
        _split(
            "mesto práca človek rieka škola dom rok deň život krajina voda les kniha cesta svetlo večer "
            "ráno rodina dieťa starosta námestie záhrada stanica most kostol počasie sneh leto zima jeseň "
            "jar výstava divadlo hudba pieseň príbeh otázka odpoveď riešenie výskum jazyk slovník preklad "
            "veta korpus text súbor príklad úrad vláda zákon súd priemysel továreň stroj elektrina doprava "
            "železnica vlak autobus letisko pole úroda chlieb mlieko ovocie jablko zelenina kuchyňa lekár "
            "nemocnica zdravie pohyb závod víťaz družstvo tréner ihrisko lopta výsledok počet časť"
        ),
        "Úvodná stránka",
        "Tieto stránky používajú súbory, ktoré pomáhajú merať návštevnosť; používaním stránok s tým "
        "návštevník súhlasí a berie na vedomie, že obsah podlieha autorskému právu.",
    ),
    "pl": Words(
        _split(
            "i w na się jest że z do to o ale dla jak by który za był po tak od przy są także według już "
            "kiedy tylko aż albo co przed jego jednak jeszcze które może między pod nie było gdzie dlatego "
            "niż tych tej we ze swoje ich ponieważ dziś zawsze bardzo oraz przez"
        ),
        _split(
            "miasto praca człowiek rzeka szkoła dom rok dzień życie ziemia woda las książka droga światło "
            "wieczór ranek rodzina dziecko burmistrz rynek ogród dworzec most kościół pogoda śnieg lato "
            "zima jesień wiosna wystawa teatr muzyka pieśń opowieść pytanie odpowiedź rozwiązanie badanie "
            "język słownik przekład zdanie korpus tekst zbiór przykład urząd rząd prawo sąd przemysł "
            "fabryka maszyna prąd transport kolej pociąg autobus lotnisko pole plon chleb mleko owoce "
            "jabłko warzywa kuchnia lekarz szpital zdrowie ruch zawody zwycięzca drużyna trener boisko "
            "piłka wynik liczba część powód"
        ),
        "Strona główna",
        "Strony te używają plików, które pomagają mierzyć liczbę odwiedzin; korzystając z nich czytelnik "
        "wyraża na to zgodę i przyjmuje do wiadomości, że treść podlega prawu autorskiemu.",
    ),
    "en": Words(
        _split(
            "the of and to in is that for it as with was on are by this be at from or an have which not "
            "but had they his all were when there can been their has more if will would about who what so "
            "than into other only some could these two may then do after before because today always very"
        ),
        _split(
            "town work person river school house year day life country water forest book road light evening "
            "morning family child mayor square garden station bridge church weather snow summer winter "
            "autumn spring exhibition theatre music song story question answer solution research language "
            "dictionary translation sentence corpus text file example office government law court industry "
            "factory machine power traffic railway train bus airport field harvest bread milk fruit "
            "apple vegetable kitchen doctor hospital health movement race winner team coach playground "
            "ball result number part reason"
        ),
        "Home page",
        "These pages use files that help us count our visitors; by using the pages the visitor agrees to "
        "this and takes note that their content is protected by copyright.",
    ),
    "de": Words(
        _split(
            "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an "
            "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war "
            "haben nur oder aber vor zur bis mehr durch man sein wurde wenn weil heute immer sehr"
        ),
        _split(
            "Stadt Arbeit Mensch Fluss Schule Haus Jahr Tag Leben Land Wasser Wald Buch Weg Licht Abend "
            "Morgen Familie Kind Bürgermeister Marktplatz Garten Bahnhof Brücke Kirche Wetter Schnee Sommer "
            "Winter Herbst Frühling Ausstellung Theater Musik Lied Geschichte Frage Antwort Lösung Forschung "
            "Sprache Wörterbuch Übersetzung Satz Korpus Text Datei Beispiel Amt Regierung Gesetz Gericht "
            "Industrie Fabrik Maschine Strom Verkehr Eisenbahn Zug Autobus Flughafen Feld Ernte Brot Milch "
            "Obst Apfel Gemüse Küche Arzt Krankenhaus Gesundheit Bewegung Rennen Sieger Mannschaft Trainer "
            "Spielplatz Ball Ergebnis Zahl Teil Grund"
        ),
        "Startseite",
        "Diese Seiten verwenden Dateien, die helfen, die Zahl der Besucher zu messen; wer sie benutzt, "
        "stimmt dem zu und nimmt zur Kenntnis, dass der Inhalt dem Urheberrecht unterliegt.",
    ),
}
