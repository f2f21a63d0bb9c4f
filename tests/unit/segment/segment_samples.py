"""Texts written for these tests, one of each kind that a crawl meets."""

ARTICLE_CS = [
    "Zastupitelé schválili opravu staré školy",
    "Zastupitelé města na svém úterním zasedání schválili opravu budovy staré školy na náměstí. Práce mají "
    "začít na jaře příštího roku a potrvají nejméně osmnáct měsíců.",
    "Podle starostky byla budova v havarijním stavu už před deseti lety. „Tehdy jsme neměli peníze ani na "
    "projekt, natož na stavbu samotnou,“ řekla novinářům po jednání. Dnes má město připravenou polovinu "
    "potřebné částky a o zbytek chce požádat stát.",
    "Opozice s opravou souhlasila, vytkla však vedení radnice, že o záměru neinformovalo obyvatele okolních "
    "domů. Ti se obávají hluku i prachu a žádají, aby těžká auta jezdila jinudy.",
    "Ve škole má po dokončení vzniknout knihovna, dva byty pro učitele a sál, který si budou moci půjčovat "
    "místní spolky. Kdy přesně se otevře, si zatím nikdo netroufá odhadnout.",
]

ARTICLE_EN = [
    "The lighthouse that learned to wait",
    "For almost a century the lamp on the northern cliff was lit by hand. Every evening, an hour before "
    "sunset, the keeper climbed two hundred steps with a can of oil, and every morning he climbed them again "
    "to clean the glass.",
    "When electricity came to the island, nobody asked him what he thought of it. The new lamp switched "
    "itself on. He went up anyway, sat by the window and wrote down the names of the ships that passed; "
    "his notebooks fill two shelves of the county museum today.",
    "Historians have begun to read them only recently. They found more than ships: the weather of forty "
    "years, the price of herring, and one long quarrel with a goat.",
    "The museum plans to publish a selection next spring. Whether the goat will be in it, the editors would "
    "not say.",
]

MENU = [
    "Úvod", "O nás", "Služby", "Ceník", "Reference", "Fotogalerie", "Kontakt", "Přihlásit se", "Registrace",
    "Košík (0)", "Hledat", "Čeština", "English", "Deutsch", "Mapa stránek", "Nahoru", "© 2024 Firma s.r.o.",
    "Všechna práva vyhrazena", "Facebook", "Instagram", "YouTube",
]  # fmt: skip

PRODUCTS = [
    line
    for number in range(1, 31)
    for line in (
        f"Hrnek keramický modrý {number * 50} ml",
        f"Skladem {number} ks",
        f"{number * 37} Kč",
        "Do košíku",
        f"Kód: HR-{number:04d}",
    )
]

BOILERPLATE = [
    "Domů", "Aktuality", "Kontakt",
    "Tento web používá k poskytování služeb soubory cookie.",
    "Souhlasím", "Více informací", "Nastavení",
    "Copyright 2024. Všechna práva vyhrazena.",
    "Tisk", "RSS", "Nahoru",
]  # fmt: skip

POETRY = [
    "Podzimní řeka",
    "Nad řekou zvolna padá tma,", "na břehu stojí starý dům,", "kdo v něm kdy bydlel, nikdo zná,",
    "jen vítr chodí po stropům.", "Za oknem svítí svíčka malá,", "jako by někdo čekal dál,",
    "jako by někde hudba hrála", "a někdo u ní tiše stál.", "Ráno je mlha plná ptáků,",
    "voda se valí pod mostem,", "zvon bije kdesi nad oblaky", "a já jsem zase jenom host,",
    "jen host, co kráčí po kamení,", "co zapomněl, kam vlastně šel,", "a místo cesty našel znění",
    "písně, co nikdy neslyšel.",
]  # fmt: skip

CODE = [
    "#include <stdio.h>",
    "static int count(const char *s, char c) {",
    "int n = 0;",
    "for (const char *p = s; *p != '\\0'; p++) {",
    "if (*p == c) { n += 1; }",
    "}",
    "return n;",
    "}",
    "int main(int argc, char **argv) {",
    "char buffer[1024] = {0};",
    "while (fgets(buffer, sizeof(buffer), stdin) != NULL) {",
    "printf(\"%d\\n\", count(buffer, ','));",
    "total += count(buffer, ';') * (argc > 1 ? atoi(argv[1]) : 1);",
    "table[index(buffer[0])] |= 1 << (flags & 0x1f);",
    "}",
    "return total == 0 ? EXIT_FAILURE : EXIT_SUCCESS;",
    "}",
]

LEGAL = [
    "§ 12",
    "(1) Kupující je oprávněn od smlouvy odstoupit do 14 dnů ode dne, kdy zboží převzal, a to i bez udání "
    "důvodu; lhůta je zachována, jestliže kupující v jejím průběhu odešle prodávajícímu oznámení.",
    "(2) Odstoupí-li kupující od smlouvy, vrátí mu prodávající bez zbytečného odkladu, nejpozději však do "
    "14 dnů, všechny peněžní prostředky, které od něho na základě smlouvy přijal, včetně nákladů na dodání, "
    "s výjimkou",
    "a) dodatečných nákladů vzniklých v důsledku zvoleného způsobu dodání,",
    "b) nákladů na zboží, které bylo upraveno podle přání kupujícího,",
    "c) částky, o kterou se snížila hodnota zboží jeho užíváním.",
    "(3) Ustanovení odstavce 2 se nepoužije, jestliže prodávající nabídl, že zboží sám vyzvedne. V takovém "
    "případě vrací peněžní prostředky do 14 dnů ode dne, kdy zboží převzal.",
    "(4) Práva kupujícího podle zvláštních právních předpisů nejsou těmito podmínkami dotčena.",
]

TAG_CLOUD = [
    "praha brno ostrava plzeň liberec olomouc hotely penziony ubytování levně letenky zájezdy last minute",
    "dovolená chorvatsko itálie řecko španělsko bulharsko egypt tunisko turecko moře hory lyže wellness",
    "auto moto bazar pneumatiky disky servis pojištění leasing půjčky hypotéky banky kurzy měn akcie",
]

SPAM = [
    f"Kupte si levné boty {city} v našem obchodě s botami. Levné boty {city} nabízíme nejlevněji ze všech."
    for city in (
        "Praha", "Brno", "Ostrava", "Plzeň", "Liberec", "Olomouc", "Opava", "Zlín", "Jihlava", "Kladno",
        "Most", "Děčín", "Karviná", "Teplice", "Tábor", "Písek", "Znojmo", "Cheb", "Kolín", "Náchod",
    )
]  # fmt: skip

REPEATED = [ARTICLE_CS[1]] * 12

SPOILT = [paragraph.encode().decode("windows-1250", "replace") for paragraph in ARTICLE_CS]

CHINESE = [
    "昨天晚上，市议会通过了修缮旧学校的计划。工程将在明年春天开始，预计需要十八个月。",
    "市长表示，这座建筑十年前就已经处于危险状态。当时没有足够的资金，现在一半的费用已经准备好了。",
    "附近的居民担心噪音和灰尘。他们要求运输车辆改走其他道路，希望施工时间能够得到限制。",
    "修缮完成以后，学校里将设立一座图书馆和一个大厅，供当地的社团使用。没有人知道确切的开放日期。",
]
