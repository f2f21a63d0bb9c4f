"""After which words does a full stop not end a sentence, and which words often begin one?

By language, as used in newspapers, laws and encyclopedias. Only data, used by `sentence_ends`. A word in
lower case also stands for its capitalised form (`např`, `Např`), one with a capital only for itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["ABBREVIATIONS", "UNKNOWN", "Abbreviations"]


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """Words and numbers that a language writes with a full stop in the middle of a sentence."""

    before: frozenset[str]  # always followed by another word of the sentence: prof. Novák, tzv. Velký třesk
    within: frozenset[str]  # end a sentence only before a word that often begins one: 5 mil. Kč, Apple Inc.
    number: frozenset[str]  # stand before a number: s. 15, No. 5
    starters: frozenset[str]  # words that often begin a sentence, and are seldom part of a name
    months: frozenset[str] = frozenset()  # months written with a capital after an ordinal number
    has_ordinals: bool = False  # a full stop makes a number ordinal: 3. května, Karel IV.
    articles: frozenset[str] = frozenset()  # make a number after them ordinal, where nouns have capitals
    endings: tuple[str, ...] = ()  # endings of words whose last part is abbreviated: Hauptstr. 5


def _language(
    *, before: str, within: str, number: str, starters: str, months: str = "", articles: str = "",
    endings: str = "", has_ordinals: bool = False,
) -> Abbreviations:  # fmt: skip
    return Abbreviations(
        frozenset(before.split()), frozenset(within.split()), frozenset(number.split()),
        frozenset(starters.split()), frozenset(months.split()), has_ordinals, frozenset(articles.split()),
        tuple(endings.split()),
    )  # fmt: skip


_CZECH = _language(
    has_ordinals=True,
    before="""akad angl arch bc bca biol brig býv cca cf csl dipl doc dr ev fot franc gen gym hl ing inž
        ital JUDr kap kpt kr lat lic lok maď MDDr mgr mj mjr mons MUDr MVDr nadp např npor náb nám něm
        o.p.s odb odp orig PaedDr PharmDr PhDr PhMr plk popř pozn pplk ppor prap prof prom předs přen příp
        resp RNDr rotm roč sl slov srov st stol stč sv t.j t.zv ThDr ThLic tj tl tzn tzv tř ul viz vl vs
        vč včt zejm zn zvl zákl zást čl řec šp""",
    within="""a.s bil CSc DiS DrSc hod k.s MBA mil min ml mld n.l n.m nar o.s p.n.l Ph.D s.r.o sek spol
        Th.D tis v.o.s vteř z.s z.ú zemř""",
    number="""bod cca díl fax kap kol lok max min obr odd odst par pl PSČ písm př roč s sb st str sv tab
        tel vyd §§ č čj čl čp čís""",
    starters="""A Aby Ale Ani Ano Asi Ač Až Bez Bude Budou By Byl Byla Byli Bylo Celkem Co Což Dnes Do
        Druhý Dále I Jak Jako Jde Je Jeden Jeho Jejich Její Jen Jenže Ještě Jsem Jsme Jsou Já K Kam Kde
        Kdo Kdy Když Ke Která Které Který Kvůli Letos Loni Mají Mezi Mnoho My Má Mé Můj Může Na Nad
        Nakonec Naopak Například Ne Nebo Nejsou Není Nic Nikdo No O Od Odešel On Ona Oni Ono Pak Po Pod
        Podle Pokud Poprvé Potom Poté Pouze Pro Proto Protože Proč První Před Přes Přesto Při Přitom
        Přišel S Se Snad Spolu Stalo Stejně Tak Takový Také Tam Tato Tedy Tehdy Ten Tento Teď To Tohle
        Toto Tu Ty Tyto Tím U Už V Ve Vrátil Vy Však Vše Všichni Vždy Z Za Zaplatil Zatímco Zde Ze Řekl Že
        Žádný""",
)  # fmt: skip

_SLOVAK = _language(
    has_ordinals=True,
    before="""akad angl arch bc býv cca cf dipl doc dr ev franc gen gréc hl ing inž JUDr kap kpt lat maď
        mgr mjr mons MUDr MVDr nadpor najm napr nem nám nár odb okr orig PaedDr PharmDr PhDr plk popr por
        porov pozn pplk prap prof príp prír resp RNDr sl slov st stor stred sv t.j t.zv ThDr tj tzn tzv ul
        vl vs vč zn zákl zást čl š""",
    within="""a.s ArtD bil CSc DrSc hod k.s MBA mil min ml mld n.l n.o nar o.z p.n.l Ph.D PhD s.r.o sek
        spol stor tis v.o.s zom""",
    number="""bod cca diel fax kap max min obr odd ods PSČ písm roč s st str sv tab tel vyd z zb č čl čís""",
    starters="""A Aby Ak Ako Ale Ani Asi Až Bez Bol Bola Boli Bolo Bude Budú By Dnes Do Ešte Hoci I Iba
        Ich Ja Je Jeden Jeho Jej K Kde Keď Kto Ktorá Ktoré Ktorý Ku Len Majú Medzi Mnoho My Má Môže Na Nad
        Najmä Nakoniec Naopak Napríklad Nie Niekto Niektorí Nikto Nič No O Od Odišiel On Ona Oni Ono Po
        Pod Podľa Pokiaľ Potom Povedal Pre Pred Preto Pretože Prečo Pri Pritom Prišiel Prvý S Sa Sme So
        Som Stále Sú Tak Takže Tam Teda Ten Tento Teraz Tieto To Toto Tu Ty Táto U Už V Vlani Vo Vrátil Vy
        Však Všetci Všetko Vždy Z Za Zaplatil Zatiaľ Zo Áno Čo Ďalej Že Žiadny""",
)  # fmt: skip

_POLISH = _language(
    has_ordinals=True,
    before="""a.d abp adw al ang asp bp br bł ca cd ces cf cyt dn doc dosł dr dypl dyr dł ew fot franc gen gm
        gł hab hr inż jw kard kier kk kl kpt ks lic m.in mec mgr mjr mł naucz ndst niem np nt ob oo op
        patrz pow ppłk prof przew przyp pt pw płk ref reż rtm sb serb sp st szt tj tow tzn tzw tłum ul vol
        wg wgl woj ws wyd wł właśc zast zob zw łac śp śr św""",
    within="""bln godz hab im in min mld mln n.e ok os p.n.e proc r S.A sek Sp sp.z.o.o tys ur zm""",
    number="""art dz godz kl lit max min nr ok par pkt poz rozdz rys s str t tab tel ust vol wyd zob §""",
    starters="""A Aby Albo Ale Ani Bez Bo Byli Być Był Była Było Będzie Będą Chociaż Co Coraz Czy Czyli
        Dla Dlaczego Dlatego Do Dopiero Dziś Gdy Gdyby Gdzie I Ich Ile Inne Inni Ja Jak Jakie Jako Jednak
        Jednocześnie Jego Jej Jest Jestem Jeszcze Jeśli Jeżeli Już Każdy Kiedy Kto Która Które Który Ma
        Mają Mam Mimo Może Można My Mój Na Nad Następnie Natomiast Nie Niestety Nikt O Obecnie Od Odszedł
        On Ona One Oni Oraz Po Pod Podczas Ponadto Potem Powiedział Poza Przed Przez Przy Przyszedł
        Później Również Się Są Ta Tak Taki Takie Tam Te Tego Ten Teraz To Tu Tutaj Ty Tych Tylko U W
        Wczoraj We Według Więc Wrócili Wrócił Wszyscy Wszystko Wtedy Z Za Zapłacił Zatem Zaś Ze Został
        Żaden Że Żeby""",
)  # fmt: skip

_SLOVENE = _language(
    has_ordinals=True,
    before="""akad angl arh asist cca cf dipl dir doc dr g gdč gen gl gosp ing inž itl izr kan lat mag
        mons nam nem npr odv oz polk prev prib pribl prim prof roj slov spec sr st str sv t.i t.j tehn
        tim tj tn tov ul univ vs zl zn znanstv zv šk""",
    within="""d.d d.n.o d.o.o jr k.d milj min mio ml mrd n.š o.p Ph.D po.n.š pr.n.št s.p sek st tis ur""",
    number="""cca izd kl l let maks max min no nr odst pogl pribl sl str tab tel točk tč ur zv čl št""",
    starters="""A Ali Ampak Bil Bila Bili Bilo Bo Bodo Brez Da Danes Do Drugi En Ena Ga Gre Hkrati Ima
        Imel In Iz Ja Jaz Je K Kaj Kako Kakšen Kam Kdaj Kdo Kdor Ker Kjer Kljub Ko Koliko Kot Lahko Lani
        Letos Med Mi Moral Na Nad Naj Najprej Namreč Nato Naš Ne Ni Nihče Niso Nič Njegov Njegova Njen No
        O Ob Od Odšel On Ona Oni Pa Plačal Po Pod Poleg Potem Povedal Prav Pred Prej Pri Prišel Prvi Rekel
        S Saj Sam Se Sem Si Sicer Skupaj Smo So Sta Ta Tako Takrat Tam Te Tega Ti Tisti To Toda Torej Tu
        Tudi V Vendar Vi Vrnil Vsak Vse Vsi Včasih Včeraj Z Za Zakaj Zaradi Zato Zdaj Če Čeprav Čez Že""",
)  # fmt: skip

_CROATIAN = _language(
    has_ordinals=True,
    before="""akad arh bivš bl bosn br cca cf dipl doc dop dr engl gen gosp gđa gđica hrv ing inž ital izv
        kan kap kard knj lat mag maks mons mr nadb njem npr o.g o.š odv pok potpuk pov prev prim prof prot
        rkp satn sl slav spec srp str sv t.j t.zv tj tzn tzv ul univ usp vlč vs zn zv čl š šk""",
    within="""d.d d.o.o god j.d.o.o jr k.d kn mil min ml mln mlrd n.e Ph.D po.Kr pr.Kr pr.n.e rođ s.p sek
        st tis umr""",
    number="""br cca gl god izd knj l maks min pogl sl st str sv t tab tel toč ur čl""",
    starters="""A Ako Ali Bez Bi Bila Bili Bilo Bio Budući Da Danas Do Dobro Dok Došao Drugi Duž Gdje Hoće
        I Iako Ili Ima Ipak Iz Iznad Ja Je Jedan Jedna Jer Još Jučer Kad Kada Kako Kao Kod Koja Koje Koji
        Koliko Kroz Lani Li Među Mi Mnogi Mogu Može Na Nad Naime Najprije Nakon Naš Ne Nego Neki Ni Nije
        Nisu Niti Nitko Ništa Njegov Njegova No O Od Oko On Ona Oni Ono Osim Otišao Ova Ovaj Ove Ovo Pa
        Platio Plaćao Po Pod Pored Poslije Potom Pred Prema Pri Prije Prvi Rekao S Sa Sada Sam Samo Se Smo
        Stoga Su Sve Svi Ta Tada Taj Tako Također Tamo Te Ti To Tu U Unatoč Uvijek Uz Već Vi Više Vratio
        Za Zatim Zato Zašto Zbog Što Živi""",
)  # fmt: skip

_ENGLISH = _language(
    before="""Adm anon approx Atty Brig ca Capt cf Cmdr Col Cpl Det Dr e.g eds Eng esp esq Fr ft Gen Gov
        Hon i.e incl Insp Lt Maj Messrs Mlle Mme Mr Mrs Ms Msgr Mt Mx Ofc Pres Prof Pvt Rep Reps resp Rev
        Rt Sec Sen Sens Sgt Sr St Ste Supt viz vs""",
    within="""A.D a.m A.M al Ala Apr Ariz Ark Assn Aug Ave B.A B.C B.Sc Blvd Bros Calif Co Colo Conn Corp
        D.C D.Phil Dec Del Dept E.U ed eds Est Feb Fla Fri ft Ga hr hrs Ill Inc Ind Jan Jr Jul Jun Kan Ky
        L.A La lb lbs LL.B LLC Ltd M.A M.D M.Sc Mar Mass Md Mich Minn Miss Mo Mon Mont mph N.Y Neb Nev Nov
        Oct Okla Ore p.m P.M Pa Penn Ph.D Rd Sat Sep Sept Sr Sun Tenn Tex Thu Thur Thurs Tue Tues U.K U.N
        U.S U.S.A U.S.S.R Univ Va Vt Wash Wed Wis Wyo""",
    number="""approx Apr Art Aug Bk bk ca ch Ch chap Dec eq Eq Feb fig Fig figs Figs Jan Jul Jun ll Mar nn
        N° No Nos Nov Nr Oct Op op p para pp Pt pt sec Sec Sep Sept Tab ver vol Vol""",
    starters="""A About After All Also Although An And Another Any Are As At Be Because Before Both But By
        Can Could Did Do Does Don't During Each Either Even Every Few First For From Furthermore Had Has
        Have He He's Her Here His How However I I'm If In Indeed Instead Is It It's Its Just Last Later
        Like Many Maybe Meanwhile Moreover Most Much My Neither Nevertheless Next No Nobody Nor Not
        Nothing Now Of On Once One Only Or Other Others Our Over People Perhaps She Should Since So Some
        Soon Still Such Than That That's The Their Then There There's Therefore These They They're This
        Those Though Thus To Today Two Under Until Was We We're Were What When Where Whether Which While
        Who Why Will With Within Without Would Yes Yet You You're Your""",
)  # fmt: skip

_GERMAN = _language(
    has_ordinals=True,
    endings="str pl",
    months="""Absatz Apr April Auflage Aug August Bundesliga Dez Dezember Etage Feb Feber Februar
        Geburtstag Jahrhundert Jahrhunderts Jahrtausend Jan Januar Jh Jhd Jul Juli Jun Juni Jänner Kapitel
        Klasse Lebensjahr Liga Mai Mal März Nov November Okt Oktober Platz Runde Sep Sept September Stock
        Tag Weltkrieg Weltkrieges Weltkriegs Woche""",
    articles="""ab Ab am Am ans beim Beim bis Bis bzw das Das dem Dem den Den der Der des Des die Die
        Dienstag diesem diesen dieser dieses Donnerstag ein Ein eine Eine einem einen einer Freitag ihre
        ihrem ihren ihrer im Im ins jede jeden jeder jedes mein meinem meinen meiner Mittwoch Montag oder
        Samstag seine seinem seinen seiner seit Seit Sonnabend Sonntag und unser vom Vom zum Zum zur Zur
        zwischen""",
    before="""a.a.O a.d a.M Abt allg amtl ausschl Bd bes betr bspw bzgl bzw ca cf d.h dgl Dipl Dr dt ebd
        ehem eigtl einschl engl entspr evang evtl Fa Fam Frl frz geb Gebr gegr gem gest ggf ggfs griech hg
        hl Hr Hrn Hrsg i.A i.d.R i.V Ing inkl insb insbes ital jew jun Kap Kard kath lat m.E Mag med Mr Ms
        Msgr näml o.a o.g orig Pfr phil Prof Präs rd rer röm s.o s.u sog span St stellv städt techn theol
        tägl u.a u.U ugs urspr usf verh vgl vorm vs wiss z.B z.Hd z.T z.Z zit zz zzgl österr""",
    within="""a.D B.A B.Sc Chr Co d.J d.M e.V f ff Inc Jh Jhd Jhs Jr jr Ltd M.A M.Sc Mill Min Mio Mrd
        n.Chr Nr Ph.D Pl Sek sr St Std Str Tsd v.Chr""",
    number="""Abb Abs Anm Apr Art Aufl Aug Bd Bde Bl ca Dez Fax Feb geb gest H Heft Hs Jan Jg Jul Jun Kap
        Lfd lit max min Mär Nov Nr Nrn Okt Pos rd Rn S Sa Sep Sept Sp Std Tab Tel Ver Zi Ziff Zl""",
    starters="""Aber Alle Allerdings Alles Als Also Am An Auch Auf Aus Außerdem Bei Beim Bis Bislang Da
        Dabei Dadurch Dafür Dagegen Daher Damals Damit Danach Dann Daran Darauf Daraus Darum Darüber Das
        Dass Dazu Dem Den Denn Dennoch Der Deren Derzeit Des Deshalb Dessen Die Dies Diese Dieser Dieses
        Doch Dort Du Durch Ein Eine Einen Einer Eines Einige Er Er's Erst Es Etwa Für Ganz Gegen Gestern
        Heute Hier Hinter Ich Ihr Ihre Im Immer In Inzwischen Ist Ja Jede Jeder Jedes Jedoch Jetzt Kein
        Keine Können Mal Man Manche Mehr Mein Meine Mit Möglich Nach Nachdem Neben Nein Nicht Nichts
        Niemand Noch Nun Nur Ob Obwohl Oder Oft Ohne Schließlich Schon Sehr Sein Seine Seit Selbst Sie
        Sind So Sobald Sogar Solche Somit Sondern Sowohl Später Statt Trotz Trotzdem Um Und Uns Unser
        Unter Viele Vielleicht Vom Von Vor Wann War Waren Warum Was Weil Weiter Weitere Welche Wenn Wer
        Wie Wieder Wir Wird Wo Wurde Wurden Während Zu Zum Zunächst Zur Zwar Zwei Zwischen Über""",
)  # fmt: skip

_FRENCH = _language(
    before="""abbr adj adm all anc ang angl ann apr apt arr art av bd boul c.-à-d cdt cf ch chap cit cne
        coll cpt dir dr dép env esp ex fasc fig fr fém gal gén ibid inf Ing init ital J.-C jr lat lieut lt
        M max Me Mgr min Mlle Mlles MM Mme Mmes N.-D n.b not p.-ê p.ex pr prof préf qqch qqn R.-P rem resp
        réf réimpr s.-lt sgt sq sqq St Ste Sté Sts sup trad tél vol vs éd""",
    within="""apr.J.-C av.J.-C avr Cie Co déc E.U févr hab hl Inc J.-C janv juil Ltd mio mrd nov O.N.U oct
        P.-S P.S S.A S.A.R.L s.a.r.l S.N.C sept suiv U.R.S.S""",
    number="""al art avr ch chap col déc env f fig fol févr janv juil l livr ll max min n no nov n° oct p
        p.ex par pl pp sect sept t tab tél v vol vv § éd""",
    starters="""A Ainsi Alors Après Au Aucun Aucune Aujourd'hui Aussi Autour Aux Avant Avec Beaucoup C'est
        C'était Ce Cela Celle Celui Cependant Ces Cet Cette Ceux Chacun Chaque Comme Comment D'abord Dans
        De Depuis Des Deux Donc Dont Du Dès Elle Elles En Encore Enfin Ensuite Est Et Eux Hier Ici Il Ils
        J'ai Jamais Je Jusqu'à L'un La Le Les Leur Leurs Lors Lorsque Lui Là Ma Maintenant Mais Malgré Mes
        Mon Même Ne Ni Non Nos Notre Nous On Or Ou Oui Où Par Parce Parfois Pendant Personne Peut Plus
        Plusieurs Pour Pourquoi Pourtant Puis Puisque Qu'est Quand Que Quel Quelle Quelques Qui Quoi Rien
        S'il Sa Sans Selon Ses Seul Si Son Sous Souvent Sur Surtout Tandis Tous Tout Toute Toutefois Trop
        Très Tu Un Une Vers Voici Voilà Vos Votre Vous Y À""",
)  # fmt: skip

_RUSSIAN = _language(
    before="""акад англ арх букв г-жа г-н ген гл гос гр греч доц др ед зав зам и.о изд им ин инж кан кв
        корп лат мин мл напр нач нем обл обр оз ок пл подп пом пос пр прим просп проф ред рис рус св см
        сокр соч ср ст стр т.е т.к т.н таб тел ул уч фр церк чел экз эт""",
    within="""А.С в вв г гг до.н.э долл кг км коп мин млн млрд мм н.э р руб сек см т.д т.п трлн тыс ч экз""",
    number="""вып г гл д кв корп л ок от п пп прим разд ред рис с см ст стр т табл тел тт ч №""",
    starters="""А Без Более Был Была Были Было В Во Вот Все Всё Вчера Вы Где Да Даже Для До Его Ее Если
        Есть Еще Ещё Её Же За Затем Здесь И Из Или Именно Их К Как Какой Когда Кроме Кто Между Мне Мой Мы
        На Над Нам Не Нет Но Ну О Об Однако Он Она Они Оно От Перед По Под После Потом Поэтому При Про С
        Сегодня Со Так Также Такой Там Теперь То Тогда Только Тот Ты У Уже Хотя Чем Через Что Чтобы Эта
        Эти Это Этот Я""",
)  # fmt: skip

_UKRAINIAN = _language(
    before="""акад англ арх бл буд букв бульв вид вул ген грец д-р див доц заст лат напр нім оз пл пор
        пос пров просп проф р-н ред рис рос св т.з т.зв табл тел тов укр франц церк ім інж""",
    within="""в год грн до.н.е дол екз кг км кн коп млн млрд мм н.е обл р рр с сек см ст т.д т.п т.ін
        тис трлн хв шт ін""",
    number="""арк вип гл кв корп л н оф п пп прибл прим рис розд с ст стор т табл тел тт ч №""",
    starters="""А Або Адже Але Без Був Була Були Було В Ви Вона Вони Воно Все Всі Вчора Він Де Для До З
        За Зі Й Його Коли Крім Ми Між На Навіть Над Не Ну Ні Однак По При Про Проте Під Після Раніше
        Саме Сьогодні Та Так Також Там Тепер Ти Тим То Тоді Тому Тут У Усі Хоча Це Цей Ця Ці Через Чи Що
        Щоб Я Як Яка Який Якщо Є І Із Інші Їх Її""",
)  # fmt: skip

_SPANISH = _language(
    before="""adm admón almte arq arz av avda ca cap cdte cf cnel coord cía depto dir div dpto Dr Dra
        Dres EE ej excma excmo fray gob gral hno hnos ilma ilmo ing izda izdo lcdo lic Mons mons ntra
        ntro p.ej pbro pdta pdte pfo prof profa prol pról rda Rdo Rev rte sdad sgto Sr sr Sra sra sras
        sres srs Srta srta Sta Sto Tte vda vid vs""",
    within="""a.C A.M a.m abr ago aprox cent Co Cía d.C d.de.C dic etc feb hab Inc jul jun Ltda m.n nov
        oct P.D P.M p.m Ph.D pág S.A S.L seg sept tel Ud Uds Vd Vds vol""",
    number="""aprox art arts cap caps col ed fasc fig figs fol lib lám max min máx mín n nro núm
        núms p p.ej pp pág págs párr s sec secc ss t tel teléf tfno tom tít v vol vols""",
    starters="""A Además Ahora Al Algunos Allí Ante Antes Aquí Así Aunque Ayer Bajo Cada Como Con Contra
        Cuando Cuál De Desde Después Dos Durante El Ella Ellas Ellos En Entonces Entre Era Es Esa Ese
        Eso Esta Estas Este Esto Estos Está Fue Ha Hace Hacia Han Hasta Hay Hoy Incluso La Las Le Les Lo
        Los Luego Me Mi Mientras Mucho Muchos Muy Más Nada Nadie Ni No Nos Nosotros Nuestra Nuestro O
        Otra Otro Para Pero Poco Por Porque Pues Que Quien Quién Qué Se Según Ser Si Sin Sobre Solo Su
        Sus Sí Sólo También Tampoco Tan Tiene Todas Todo Todos Tras Tu Un Una Unos Y Ya Yo Él""",
)  # fmt: skip

_ITALIAN = _language(
    before="""agg amm Arch arch art Avv avv ca Cap cap Card Cav cav Cfr cfr Col col Comm comm Dir dir
        Dott dott Dott.ssa dott.ssa Dr dr ecc.mo Fam fam Fig fr Gen gen Geom geom Ill.mo Ing ing L.go
        lgt Mons mons On on p.es P.zza p.zza Pres pres Prof prof Prof.ssa prof.ssa prov Rag rag resp Rev
        rev S Sen sen serg Sig sig Sig.na sig.na Sig.ra sig.ra Sigg sigg Spett spett SS St.a Ten ten
        V.le v.le vd vs""",
    within="""a.C a.m apr c.m ca d.C dic ecc etc F.lli feb giu Inc lug min mld nov ott p.m Ph.D S.A
        s.a.s s.n.c S.p.A s.p.a S.r.l s.r.l sec sett""",
    number="""all art artt ca cap capp cfr cit col ed fasc fig figg l lett lib max min n nn nr num p pag
        pagg par pp sez ss t tab tav tel tit v vol voll""",
    starters="""A Ad Al Alla Alle Allora Anche Ancora Anzi Appena Avere Bisogna Che Chi Ci Come Con Cosa
        Così Cui Da Dal Dalla Degli Dei Del Della Delle Dopo Dove Due Dunque Durante E Ecco Ed Egli Ella
        Era Erano Essi Fino Forse Già Gli Ha Hanno Ho I Ieri Il In Infatti Infine Inoltre Insomma Io La
        Le Lei Lo Loro Lui Ma Mai Mentre Mi Molti Molto Ne Nei Nel Nella Nelle Nessuno Niente Noi Non
        Nulla O Oggi Ogni Oltre Ora Per Perché Però Più Poi Prima Pur Può Qualche Quando Quasi Quattro
        Quel Quella Quelle Quelli Quello Questa Queste Questi Questo Qui Quindi Se Secondo Sei Sempre
        Senza Si Sia Solo Sono Sotto Stato Su Sua Subito Sul Sulla Suo Sì Tra Tre Tu Tutta Tutte Tutti
        Tutto Un Una Uno Va Voi È""",
)  # fmt: skip

_PORTUGUESE = _language(
    before="""adm alm arq Av av cap cel cf Cia cons cx Dep dep Desemb dir Dr dr Dra dra drs Eng eng Exma
        Exmo Fr gal Gen gen gov Ilma Ilmo jr Lic lic Mons N.Sra ord p.ex Pe Prof prof Profa profa ps Rev
        sarg sec Sen sgt Sr sr Sra sra sras srs Srta srta Sta Sto tte vs""",
    within="""a.C a.m abr ago aprox Cia Co d.C dez etc fev Inc jan Jr jul jun Lda Ltda mai nov p.m Ph.D
        S.A S.L V.Exa""",
    number="""ap aprox art arts cap caps cf ed fasc fig figs fl fls máx mín n nº núm p p.ex par pp
        pág págs s ss séc t tel tom tít v vol vols""",
    starters="""A Agora Ainda Alguns Ali Além Antes Ao Aos Apenas Após Aqui As Assim Até Cada Com Como
        Contudo Da Das De Depois Desde Do Dos Durante E Ela Elas Ele Eles Em Embora Entre Então Era Essa
        Esse Esta Este Está Eu Foi Foram Hoje Há Isso Isto Já Logo Lá Mais Mas Me Mesmo Meu Minha Muito
        Muitos Na Nada Nas Nem No Nos Nossa Nosso Num Numa Nunca Não Nós O Onde Ontem Os Ou Outra Outro
        Para Pela Pelo Pois Por Porque Portanto Porém Quando Quanto Que Quem Se Segundo Sem Sempre Ser
        Seu Seus Sob Sobre Sua Suas Só Também Tem Toda Todas Todo Todos Tudo Um Uma Você Vocês É""",
)  # fmt: skip

_DUTCH = _language(
    before="""a.d a.h.w afd afk alg bc bijv bijz blz burg bv bw ca cf d.w.z Dhr dhr div Dr dr Drs drs Ds
        ds eerw ev evt excl gen h.k Hr hr i.p.v i.t.t i.v.m incl Ing ing inz Ir ir Jhr jhr jkvr kard
        m.a.w m.b.t m.b.v m.i.v mej Mevr mevr Mgr mgr Mr mr Mw mw n.a.v o.a o.b.v o.i.v o.l.v o.m plm
        Prof prof resp secr St t.a.v t.g.v t.n.v t.o.v t.w.v tel v.d v.l.n.r vgl vnl vs w.o z.g.a z.n
        zgn""",
    within="""a.s apr aug B.V dec e.a e.d e.o e.v enz etc feb Inc jan jr jul jun km m.n.v mld mln mnd
        n.C n.Chr N.V nov okt p.m Ph.D sec sep sept sr st u v.C v.Chr""",
    number="""afb afl apr art aug bijl blz ca dec dl ed feb fig hfdst jan jg jul jun lid max min mrt nov
        nr nrs okt p pag par pp red sep sept tab tel v vol vs""",
    starters="""Aan Af Al Alle Alleen Alles Als Ben Bij Binnen Bovendien Buiten Daar Daarbij Daarna
        Daarom Dan Dat De Deze Die Dit Doch Door Dus Een Eerst Elk Elke En Enkele Er Eén Geen Gisteren
        Haar Had Heb Hebben Heeft Heel Het Hier Hij Hoe Hoewel Hun Ik In Intussen Is Ja Je Jij Jullie
        Kan Kunnen Laten Later Maar Meer Men Met Mijn Misschien Moet Na Naar Naast Nadat Nee Niemand
        Niet Niets Nog Nu Of Om Omdat Ondanks Onder Ons Onze Ook Op Over Pas Sinds Slechts Soms Steeds
        Te Tegen Ten Ter Terwijl Toch Toen Tot Tussen Twee Uit Van Vanaf Vandaag Veel Vele Verder
        Vervolgens Via Volgens Voor Vorig Waar Waarom Wanneer Waren Was Wat We Weer Wel Welke Werd Wie
        Wij Wil Worden Wordt Ze Zelf Zelfs Zich Zij Zijn Zo Zoals Zonder Zou""",
)  # fmt: skip

_GREEK = _language(
    before="""Αγ αγ αντιστρ αριθ Βλ βλ γεν δηλ Δρ δρ εικ εκδ Κ κ κα Καθ καθ κκ λ.χ λεωφ μτφ νομ οδ π.χ
        πρβλ σ.σ στρ σχ τ.κ τ.μ τηλ""",
    within="""Α.Ε αι δισ δρχ Ε.Ε εκατ ευρ κ.ά κ.α κ.λ.π κ.λπ κ.ο.κ κλπ μ.μ μ.Χ Ο.Ε π.μ π.Χ τετρ χιλ
        χλμ""",
    number="""άρθρ αρ εδ κεφ λ ν παρ σελ σσ στ στίχ τ τηλ τόμ υποσ φ""",
    starters="""Ένα Ένας Έτσι Έχει Έχουν Ή Ήταν Αλλά Αν Απ' Από Αυτά Αυτές Αυτή Αυτοί Αυτό Αυτός Αφού
        Γι' Για Δεν Εάν Είναι Εδώ Εκεί Εκείνος Επίσης Η Θα Κάθε Κάποιοι Καθώς Και Κατά Κι Λοιπόν Μέχρι
        Μία Μα Μας Με Μετά Μια Μου Μόνο Να Ο Οι Ούτε Πάντως Παρά Ποιος Πολλοί Πολύ Πού Πριν Προς Πώς
        Σήμερα Σαν Σε Στα Στη Στην Στις Στο Στον Στους Σύμφωνα Τα Τελικά Τη Την Της Τι Τις Το Τον Του
        Τους Των Τότε Τώρα Χθες Χωρίς Ως Ωστόσο Όλα Όλοι Όμως Όπως Όσο Όταν Ότι""",
)  # fmt: skip

ABBREVIATIONS: Final[Mapping[str, Abbreviations]] = {
    "cs": _CZECH, "sk": _SLOVAK, "pl": _POLISH, "sl": _SLOVENE, "hr": _CROATIAN, "en": _ENGLISH,
    "de": _GERMAN, "fr": _FRENCH, "ru": _RUSSIAN, "uk": _UKRAINIAN, "bg": _RUSSIAN, "es": _SPANISH,
    "it": _ITALIAN, "pt": _PORTUGUESE, "nl": _DUTCH, "el": _GREEK,
}  # fmt: skip
"""The abbreviations of each language; Bulgarian uses nearly those of Russian."""

UNKNOWN: Final = _language(
    before="dr prof ing mgr mr mrs ms st sv cf e.g i.e gen col ca",
    within="mil mio mrd inc ltd etc Ph.D",
    number="no nr p pp s str vol art fig tab tel č",
    starters="",
    has_ordinals=True,
)
"""Titles and the like that most languages share, for texts in any other language."""
