"""Which filters does an operator start with?

The rules that were supplied with the robot, adapted to the web of today. Those that were on by default are
on, and apply everywhere as long as no site is defined.
"""

from collections.abc import Mapping
from typing import Final

from tiptoe.filters.definition import FilterRule, MatchLine, RobotDefinition
from tiptoe.filters.rules_file import write_rules
from tiptoe.filters.types_file import known_types, write_types

__all__ = ["default_files", "default_rules"]

RULES_FILE: Final = "filterrules.conf"

# fmt: off
RULES: Final[Mapping[str, tuple[str, bool, str]]] = {
    # id            name, on?, extensions, types (with /), places in the path (/…)
    "archive":     ("Archive files", True,
                    ".zip .tar .gz .tgz .bz2 .tbz2 .xz .7z .rar .z .lha .lzh .arj .cab .iso .dmg .zst .jar"),
    "audio":       ("Audio files", True,
                    "audio/ .mp3 .wav .ogg .oga .flac .aac .m4a .wma .aif .aiff .au .mid .midi .ra .opus"),
    "backup":      ("Backup files", True, "~ .bak .old .orig .bkp .save"),
    "binary":      ("Binary files", True,
                    ".exe .dll .so .bin .o .a .obj .lib .class .msi .deb .rpm .apk .sys .pkg .dylib"),
    "cgi":         ("CGI files", True, "/cgi-bin/ .cgi"),
    "image":       ("Image files", True,
                    "image/ .gif .jpg .jpeg .png .bmp .tif .tiff .ico .svg .webp .avif .heic .psd .xbm .xpm"),
    "script":      ("Java, JavaScript and style sheet files", True,
                    "text/css text/javascript application/javascript .js .mjs .css .java .map .woff .woff2"),
    "log":         ("Log files", True, ".log"),
    "domino-doc":  ("Lotus Domino documents", False, "?OpenDocument"),
    "domino-view": ("Lotus Domino OpenViews", False, "?OpenView"),
    "plugin":      ("Plug-in files", False, "application/x-shockwave-flash .swf .dcr .xpi .crx"),
    "powerpoint":  ("PowerPoint files", False, "application/vnd.ms-powerpoint .ppt .pps .pptx .ppsx"),
    "revision":    ("Revision control files", True, "/CVS/ /RCS/ /SCCS/ /.svn/ /.git/ /.hg/ ,v"),
    "source":      ("Source code files", True, ".c .h .cc .cpp .hpp .cs .pm .py .rb .sh .tcl .f .go"),
    "spreadsheet": ("Spreadsheet files", False,
                    "application/vnd.ms-excel .xls .xlsx .ods .csv .wk1 .123"),
    "unix-system": ("System directories (UNIX)", False, "/bin/ /dev/ /etc/ /lib/ /sbin/ /usr/ /var/"),
    "nt-system":   ("System directories (NT)", False, "/winnt/ /windows/ /system32/"),
    "temporary":   ("Temporary files", True, ".tmp .temp .swp .part .crdownload"),
    "video":       ("Video files", True,
                    "video/ .mpg .mpeg .mp4 .m4v .avi .mov .qt .wmv .flv .mkv .webm .ogv .3gp .rm"),
}
# fmt: on

PROCESS_CONF: Final = """\
# process.conf - one robot; a line that is commented out shows its default.
# What each parameter means here: docs/reference/filters.md
<Process csid="x-catalog://localhost:80/tiptoe">
    # --- who we are
    # user-agent="tiptoe"
    # email="user@domain"
    # --- which filters of filter.conf
    enumeration-filter="enumeration-default"
    generation-filter="generation-default"
    # --- how far from a starting point; -1 is unlimited
    depth=-1
    # --- manners: pauses can be made longer, never shorter
    # server-delay=5
    enable-robots-txt=yes
    enable-ip=false
    # --- where to start; sites in filterrules.conf have starting points, too
    # URL href="http://www.example.org/" depth=10
</Process>
"""

FILTER_CONF: Final = """\
# filter.conf - what is read for links, and what enters the corpus
<Filter name="enumeration-default">
    Setup fn=filterrules-setup config=filterrules.conf logtype=normal
    Setup fn=setup-type-by-extension file=mime.types
    # by its address: nothing is fetched yet
    MetaData fn=assign-type-by-extension
    MetaData fn=filterrules-process
    # by what has come
    Data fn=assign-source dst=type src=content-type
    Data fn=filterrules-process
    # links
    Enumerate fn=enumerate-urls max=1024
    Enumerate enable=false fn=enumerate-urls-from-text max=1024
    Shutdown fn=filterrules-shutdown
</Filter>

<Filter name="generation-default">
    Setup fn=filterrules-setup config=filterrules.conf logtype=normal
    Setup fn=setup-type-by-extension file=mime.types
    MetaData fn=assign-type-by-extension
    MetaData fn=filterrules-process
    Data fn=assign-source dst=type src=content-type
    Data fn=filterrules-process
    Generate fn=extract-html-meta truncate=1000 type=text/html
    Generate fn=extract-html-text truncate=1000 type=text/html
    Generate fn=generate-rd-expires
    Generate fn=generate-rd-last-modified
    Generate fn=extract-source src="type->content-type,content-length,content-charset,last-modified,depth"
    Generate fn=extract-source src="url,rd-expires,rd-last-modified"
    Shutdown fn=filterrules-shutdown
</Filter>
"""

RULES_HEAD: Final = """\
# filterrules.conf - rules, and sites that use them.
# As long as there is no <Site>, the enabled rules with default=true hold everywhere. With one, nothing else
# is crawled:
#
# <Site id=example name="An example" enable=true depth=10>
#     Domain name=example.org
#     Start url="http://www.example.org/"
#     Use rule=image
# </Site>

"""


def default_files() -> dict[str, str]:
    """Return the files of the set, by name."""
    definition = RobotDefinition(rules=default_rules())
    return {
        "process.conf": PROCESS_CONF,
        "filter.conf": FILTER_CONF,
        RULES_FILE: RULES_HEAD + write_rules(definition, RULES_FILE),
        "mime.types": "# a type, and its extensions\n" + write_types(known_types()),
    }


def default_rules() -> list[FilterRule]:
    """Return the rules that were supplied with the robot."""
    return [
        FilterRule(
            file=RULES_FILE, id=id, name=name, is_enabled=is_on, is_default=is_on,
            matches=tuple(map(_match, words.split())), place="",
        )
        for id, (name, is_on, words) in RULES.items()
    ]  # fmt: skip


def _match(word: str) -> MatchLine:
    """Return the line for an extension, a type or its beginning, or a part of the path."""
    if word.startswith("/"):
        return MatchLine("path", "contains", word, "")
    if word.startswith("?"):
        return MatchLine("url", "contains", word, "")
    if "/" in word:
        return MatchLine("type", "prefix" if word.endswith("/") else "exact", word, "")
    return MatchLine("path", "suffix", word, "")
