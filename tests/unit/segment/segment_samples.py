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

ARTICLE_ZH = [
    "小城的旧书店重新开门",
    "关门三年之后，城南那家旧书店上个星期又亮起了灯。老板姓林，今年六十二岁，他说自己本来打算退休，可是每天都有人站在门口往里看，"
    "他实在不忍心。书架还是原来的书架，只是重新刷了一遍漆，靠窗的地方多了两张桌子和一盏台灯。",
    "第一天来的大多是老顾客。有人带来了自己多年的藏书，有人只是坐下来喝一杯茶，谈谈从前的事情。一位退休教师告诉记者，她年轻的时候"
    "在这里买到了第一本诗集，那本书到现在还放在床头。",
    "林先生并不担心生意。他说，书店一个月卖出三百本书就够付房租，而现在光是周末就能卖出一百多本。他更关心的是年轻人愿不愿意进来："
    "“他们手里都有手机，可是手机不会告诉你隔壁那本书里写了什么。”",
    "下个月，书店打算每个星期五晚上举办朗读会。谁都可以上台，读什么都行，只有一个条件：不能超过十分钟。",
]

ARTICLE_JA = [
    "島の灯台に新しい守り人",
    "瀬戸内海の小さな島で、七年間だれも住んでいなかった灯台に、春から若い夫婦が暮らしはじめた。二人は東京の会社をやめ、"
    "灯台のとなりにある古い家を自分たちの手で直した。屋根は近所の大工が手伝ってくれたという。",
    "灯台そのものは今も自動で動いている。しかし、霧の深い日には船から電話がかかってくることがあり、だれかが島にいるだけで"
    "漁師たちは安心するそうだ。夫は毎朝、海の色と風の向きをノートに書きつけている。",
    "妻は家の一部を小さな食堂にした。料理は一日に十人分しか作らない。魚は港で買い、野菜は裏の畑でとれたものを使う。"
    "「たくさん作るより、毎日つづけるほうが大切です」と彼女は笑った。",
    "島の小学校は五年前に閉じたが、来年の夏には子どもが二人もどってくる。灯台の光を見て育つ子どもは、ほぼ二十年ぶりである。",
]

ARTICLE_TH = [
    "ห้องสมุดเล็กๆ ริมแม่น้ำ",
    "เมื่อสิบปีก่อนชาวบ้านริมแม่น้ำช่วยกันซ่อมบ้านไม้หลังเก่าให้เป็นห้องสมุด พวกเขาไม่มีเงินมากนักแต่ทุกคนมีหนังสืออยู่ที่บ้านคนละสองสามเล่ม "
    "ครูใหญ่ของโรงเรียนใกล้เคียงมอบชั้นหนังสือให้และช่างไม้ในตลาดทำโต๊ะให้โดยไม่คิดค่าแรง",
    "ทุกวันนี้เด็กๆ แวะมาที่นี่หลังเลิกเรียน บางคนอ่านนิทาน บางคนนั่งทำการบ้าน และบางคนก็แค่มานั่งดูเรือที่แล่นผ่านไปมา "
    "ผู้ดูแลห้องสมุดบอกว่าเธอไม่เคยขอให้ใครเงียบเพราะเสียงหัวเราะของเด็กทำให้บ้านหลังนี้มีชีวิต",
    "ปีที่แล้วน้ำท่วมสูงกว่าทุกปีและหนังสือหลายร้อยเล่มเปียกเสียหาย ชาวบ้านใช้เวลาสามเดือนในการตากและซ่อมหนังสือทีละหน้า "
    "หลังจากนั้นพวกเขาก็ยกพื้นบ้านให้สูงขึ้นอีกหนึ่งเมตรและปลูกต้นไม้ไว้รอบๆ เพื่อกันตลิ่งพัง",
    "ปลายปีนี้ห้องสมุดจะเปิดห้องใหม่สำหรับผู้สูงอายุที่อยากฟังคนอ่านหนังสือให้ฟัง "
    "ใครที่มีเวลาว่างในวันเสาร์สามารถมาช่วยอ่านได้โดยไม่ต้องลงชื่อล่วงหน้า",
]

ARTICLE_HI = [
    "गाँव के स्कूल में नया पुस्तकालय",
    "पहाड़ी के नीचे बसे इस छोटे से गाँव में पिछले सप्ताह एक नया पुस्तकालय खुला। इसके लिए गाँव के लोगों ने दो साल तक पैसे जमा किए "
    "और भवन अपने हाथों से बनाया। पहले दिन ही सौ से अधिक बच्चे किताबें देखने आए।",
    "स्कूल की प्रधानाध्यापिका ने बताया कि बच्चों को कहानियों की किताबें सबसे अधिक पसंद हैं। उन्होंने कहा कि अब वे "
    "हर शाम एक घंटा पुस्तकालय खुला रखेंगी, ताकि काम से लौटने वाले लोग भी पढ़ सकें।",
    "अगले महीने शहर से एक लेखक यहाँ आएँगे और अपनी नई किताब पढ़कर सुनाएँगे। गाँव के बुज़ुर्ग इस बात से बहुत खुश हैं। "
    "उनमें से कई ने जीवन में पहली बार किसी लेखक से मिलने की बात सोची है।",
]

MENU_ZH = [
    "首页", "新闻中心", "产品介绍", "关于我们", "联系我们", "加入收藏", "客户服务", "企业文化",
    "招聘信息", "网站地图",
    "时政 地方 法治 高层 人事 理论 国际 军事 访谈 港澳 台湾 华人 财经 "
    "汽车 房产 教育 科技 能源 论坛 网评 图片 视频 娱乐 体育",
    "版权所有 © 2024 某某科技有限公司", "京ICP备00000000号", "友情链接", "更多", "下一页", "返回顶部",
]  # fmt: skip

MENU_TH = [
    "หน้าแรก", "เกี่ยวกับเรา", "สินค้าและบริการ", "ข่าวประชาสัมพันธ์", "ติดต่อเรา", "สมัครสมาชิก", "เข้าสู่ระบบ",
    "ตะกร้าสินค้า", "โปรโมชั่นประจำเดือน", "วิธีการสั่งซื้อสินค้า", "นโยบายความเป็นส่วนตัว", "แผนผังเว็บไซต์",
]  # fmt: skip
