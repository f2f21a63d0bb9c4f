# cython: language_level=3
"""The passes over the elements of a tree, compiled: the same marks and findings as those in Python.

The tree is the parser's own. It is walked, read and written through the functions that the parser's library
exports, looked up by name; if one is missing, importing this module fails (`ImportError`). Of a tree, only the
nodes that something is found at become objects in Python. Nothing is done that the version in Python would not do.
"""

from libc.stdint cimport uint8_t, uintptr_t
from libc.string cimport memcmp

from cpython.unicode cimport PyUnicode_DecodeUTF8

import selectolax.lexbor

__all__ = ["ElementMarker", "Tree", "find_signed"]

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char* path, int flags)
    void* dlsym(void* library, const char* name)
    int RTLD_NOW, RTLD_NOLOAD

ctypedef void* Node
ctypedef Node (*Step)(Node) noexcept nogil
ctypedef int (*NodeType)(Node) noexcept nogil
ctypedef uintptr_t (*TagId)(Node) noexcept nogil
ctypedef const char* (*Spelling)(void*, size_t*) noexcept nogil
ctypedef Node (*CreateText)(void*, const char*, size_t) noexcept nogil
ctypedef void (*Insert)(Node, Node) noexcept nogil
ctypedef void (*Remove)(Node) noexcept nogil

cdef Step first_child_of, last_child_of, next_of, prev_of, parent_of, first_attribute_of, next_attribute_of
cdef NodeType type_of
cdef TagId tag_id_of
cdef Spelling name_of, local_name_of, value_of
cdef CreateText create_text
cdef Insert insert_before, insert_after
cdef Remove remove_node

cdef enum:
    ELEMENT_TYPE = 1
    TEXT_TYPE = 3
    TEXT_ID = 2
    TAGS = 1001
    STEPS_MAX = 12
    NUMBER_END = 0xD800
    SIGNS_MAX = 32
    # What the pass does at an element, see `element_kinds.py`.
    INLINE = 0
    BLOCK = 1
    BREAK = 2
    LINE = 3
    SPACE = 4
    LINK = 5
    VERBATIM = 6
    LEFT_OUT = 7
    LEFT_OUT_SPACED = 8
    READ = 9
    HEADING = 10
    # What a sign asks of its attribute, see `element_signs.py`.
    PRESENT = 0
    ABSENT = 1
    WORD = 2
    PART = 3
    PART_ANY_CASE = 4


cdef void* exported(void* library, const char* name) except NULL:
    cdef void* found = dlsym(library, name)
    if found is NULL:
        raise ImportError(f"the parser does not export {name.decode()}")
    return found


cdef int look_up() except -1:
    global first_child_of, last_child_of, next_of, prev_of, parent_of, first_attribute_of, next_attribute_of
    global type_of, tag_id_of, name_of, local_name_of, value_of, create_text, insert_before, insert_after
    global remove_node
    path = selectolax.lexbor.__file__.encode()
    cdef void* library = dlopen(path, RTLD_NOW | RTLD_NOLOAD)
    if library is NULL:
        raise ImportError("the parser's library cannot be asked")
    first_child_of = <Step>exported(library, b"lxb_dom_node_first_child_noi")
    last_child_of = <Step>exported(library, b"lxb_dom_node_last_child_noi")
    next_of = <Step>exported(library, b"lxb_dom_node_next_noi")
    prev_of = <Step>exported(library, b"lxb_dom_node_prev_noi")
    parent_of = <Step>exported(library, b"lxb_dom_node_parent_noi")
    first_attribute_of = <Step>exported(library, b"lxb_dom_element_first_attribute_noi")
    next_attribute_of = <Step>exported(library, b"lxb_dom_element_next_attribute_noi")
    type_of = <NodeType>exported(library, b"lxb_dom_node_type_noi")
    tag_id_of = <TagId>exported(library, b"lxb_dom_node_tag_id_noi")
    name_of = <Spelling>exported(library, b"lxb_dom_attr_qualified_name")
    local_name_of = <Spelling>exported(library, b"lxb_dom_attr_local_name_noi")
    value_of = <Spelling>exported(library, b"lxb_dom_attr_value_noi")
    create_text = <CreateText>exported(library, b"lxb_dom_document_create_text_node")
    insert_before = <Insert>exported(library, b"lxb_dom_node_insert_before")
    insert_after = <Insert>exported(library, b"lxb_dom_node_insert_after")
    remove_node = <Remove>exported(library, b"lxb_dom_node_remove")
    return 0


look_up()


cdef class Tree:
    """A tree, given by its root and by an element of its document that is in no tree, which keep it alive."""

    cdef object root, spare
    cdef Node root_node, spare_node

    def __init__(self, root not None, spare not None):
        self.root, self.spare = root, spare
        self.root_node, self.spare_node = <Node><uintptr_t>root.mem_id, <Node><uintptr_t>spare.mem_id
        if parent_of(self.root_node) is NULL or parent_of(self.spare_node) is not NULL:
            raise ValueError("a tree is given by its root and a spare element")

    cdef object wrapped(self, Node node):
        """Return the Python object of a node: the parser makes one for the node after another."""
        if node is self.root_node:
            return self.root
        insert_before(node, self.spare_node)
        found = self.spare.next
        remove_node(self.spare_node)
        if found is None or <Node><uintptr_t>found.mem_id is not node:
            raise RuntimeError("the tree has other nodes than its parser says")
        return found

    def remove_left_out(self, bytes left_out not None):
        """Remove the elements that have an entry in this table, and all within them."""
        cdef Node node = self.root_node, removed
        while node is not NULL:
            if node is not self.root_node and entry(left_out, tag_id_of(node)):
                removed = node
                node = after(node, self.root_node)
                remove_node(removed)
            else:
                node = following(node, self.root_node)


cdef class Walk:
    """Walks the nodes of a tree except text, in document order."""

    cdef Tree tree
    cdef Node root, node
    cdef void* document

    def __init__(self, Tree tree not None):
        self.tree, self.root, self.node = tree, tree.root_node, NULL
        self.document = parent_of(self.root)

    cdef Node next(self) noexcept:
        """Return the next node; NULL at the end."""
        cdef Node node = self.root if self.node is NULL else following(self.node, self.root)
        while node is not NULL and type_of(node) == TEXT_TYPE:
            node = following(node, self.root)
        self.node = node
        return node

    cdef object wrapped(self):
        """Return the Python object of this node."""
        return self.tree.wrapped(self.node)

    cdef int before(self, const char* mark, size_t size) except -1:
        """Put a text before the node."""
        cdef Node text = create_text(self.document, mark, size)
        if text is NULL:
            raise MemoryError
        insert_before(self.node, text)
        return 0

    cdef int after(self, const char* mark, size_t size) except -1:
        """Put a text after the node."""
        cdef Node text = create_text(self.document, mark, size)
        if text is NULL:
            raise MemoryError
        insert_after(self.node, text)
        return 0


cdef inline Node following(Node node, Node root) noexcept nogil:
    """Return the node after another one in document order, children first; NULL after the last in `root`."""
    cdef Node found = first_child_of(node)
    return found if found is not NULL else after(node, root)


cdef inline Node after(Node node, Node root) noexcept nogil:
    """Return the node after another one and all within it."""
    cdef Node found
    while node is not root:
        found = next_of(node)
        if found is not NULL:
            return found
        node = parent_of(node)
        if node is NULL:
            return NULL
    return NULL


cdef class ElementMarker:
    """Puts marks into trees as `html.py` and `tree_blocks.py` do, by their tables for the numbers of elements.

    Of elements that are left out, only those with an entry in `asked` are reported, and scripts that may be
    structured data; `Tree.remove_left_out` finds the others again.
    """

    cdef bytes kinds, dividing, usual, asked
    cdef readonly bytes left_out
    cdef list names, bare
    cdef uintptr_t link, script

    def __init__(
        self, bytes kinds not None, list names not None, *, bytes dividing not None, bytes left_out not None,
        bytes usual not None, bytes asked not None, uintptr_t link, uintptr_t script,
    ):
        if not len(kinds) == len(dividing) == len(left_out) == len(usual) == len(asked) == len(names) == TAGS:
            raise ValueError("tables of elements have to have an entry for each")
        self.kinds, self.names, self.link, self.script = kinds, names, link, script
        self.dividing, self.left_out, self.usual, self.asked = dividing, left_out, usual, asked
        self.bare = [(name, None, None, None) for name in names]

    def mark_paragraphs(self, Tree tree not None, findings not None, mark_unknown not None):
        """Put marks around blocks; elements that are read or left out go to `findings`."""
        cdef Walk walk = Walk(tree)
        cdef list elements = findings.elements
        cdef uintptr_t tag_id
        cdef int kind
        cdef bint is_after_link = False
        while walk.next() is not NULL:
            tag_id = tag_id_of(walk.node)
            kind = entry(self.kinds, tag_id)
            if kind == LINK:
                elements.append(("a", link_attributes(walk.node)))
                if is_after_link and self.follows_link(walk.node):
                    walk.before(b" ", 1)
                is_after_link = True
            elif kind == BLOCK or kind == HEADING:
                is_after_link = False
                walk.before(b"\x1e", 1)
                walk.after(b"\x1e", 1)
                if kind == HEADING:
                    findings.headings.append(walk.wrapped())
            elif kind == VERBATIM:
                walk.before(b"\x1e\x0e", 2)
                walk.after(b"\x0f\x1e", 2)
            elif kind == BREAK:
                is_after_link = False
                walk.before(b"\x1e", 1)
            elif kind == LINE:
                is_after_link = False
                walk.before(b"\x1d", 1)
            elif kind != INLINE:
                self.note(walk, findings, elements, tag_id, kind)
            elif tag_id >= TAGS:
                mark_unknown(walk.wrapped())

    def mark_outline(self, Tree tree not None, marking not None):
        """Put marks around structural elements; findings go to `marking`, which also handles rare cases."""
        cdef Walk walk = Walk(tree)
        findings = marking.findings
        cdef list elements = findings.elements, names = marking.names
        cdef set styled = marking.styled
        cdef uintptr_t tag_id
        cdef int kind
        while walk.next() is not NULL:
            tag_id = tag_id_of(walk.node)
            kind = entry(self.kinds, tag_id)
            if styled and not entry(self.usual, tag_id) and <uintptr_t>walk.node in styled:
                marking.mark_styled(walk.wrapped(), tag_id)
            elif kind == BLOCK or kind == HEADING or kind == VERBATIM:
                self.open(walk, names, tag_id)
                if kind == HEADING:
                    findings.headings.append(walk.wrapped())
            elif kind == LINK:
                elements.append(("a", link_attributes(walk.node)))
                walk.before(b"\x1e\x12", 2)
                walk.after(b"\x1e\x13", 2)
            elif kind == LINE:
                walk.before(b"\x1e\x14", 2)
            elif kind == BREAK:
                walk.before(b"\x1e\x15", 2)
            elif kind != INLINE:
                self.note(walk, findings, elements, tag_id, kind)
            elif tag_id >= TAGS:
                marking.mark_unknown(walk.wrapped())

    cdef int note(self, Walk walk, findings, list elements, uintptr_t tag_id, int kind) except -1:
        """Handle the kinds of elements that both passes treat alike."""
        if kind == READ:
            name = self.names[tag_id]
            if name == "time":
                findings.times.append(walk.wrapped())
            else:
                elements.append((name, attributes_of(walk.node)))
        elif kind == LEFT_OUT or kind == LEFT_OUT_SPACED:
            if entry(self.asked, tag_id) or (tag_id == self.script and is_structured(walk.node)):
                findings.leave_out(walk.wrapped(), tag_id)
        if kind == SPACE or kind == LEFT_OUT_SPACED:
            walk.before(b" ", 1)
        return 0

    cdef int open(self, Walk walk, list names, uintptr_t tag_id) except -1:
        """Put numbered marks around an element, and note its name."""
        cdef char[5] mark
        cdef Py_ssize_t number = 0x100 + len(names)
        if number >= NUMBER_END:
            raise ValueError("there are more elements than numbers")
        mark[0], mark[1] = 0x1E, 0x0E
        if number < 0x800:
            mark[2], mark[3] = 0xC0 | number >> 6, 0x80 | number & 0x3F
            walk.before(mark, 4)
        else:
            mark[2], mark[3], mark[4] = 0xE0 | number >> 12, 0x80 | number >> 6 & 0x3F, 0x80 | number & 0x3F
            walk.before(mark, 5)
        walk.after(b"\x1e\x10", 2)
        if type_of(walk.node) != ELEMENT_TYPE or first_attribute_of(walk.node) is NULL:
            names.append(self.bare[tag_id])
            return 0
        cdef object kind = None, identifier = None, role = None
        cdef Node attribute = first_attribute_of(walk.node)
        while attribute is not NULL:
            if is_named(attribute, b"class", 5):
                kind = value_or_none(attribute)
            elif is_named(attribute, b"id", 2):
                identifier = value_or_none(attribute)
            elif is_named(attribute, b"role", 4):
                role = value_or_none(attribute)
            attribute = next_attribute_of(attribute)
        names.append((self.names[tag_id], kind, identifier, role))
        return 0

    cdef bint follows_link(self, Node node) noexcept:
        """As `adjacency.follows_link`."""
        cdef Node place = node
        cdef Node found = prev_of(node)
        cdef uintptr_t tag_id
        if found is not NULL and tag_id_of(found) == TEXT_ID:
            return False
        for _ in range(STEPS_MAX):
            if place is NULL:
                return False
            found = prev_of(place)
            if found is NULL:
                place = parent_of(place)
                if place is not NULL and entry(self.dividing, tag_id_of(place)):
                    return False
                continue
            place = found
            while not entry(self.left_out, tag_id_of(place)):
                tag_id = tag_id_of(place)
                if tag_id == self.link:
                    return True
                if tag_id == TEXT_ID or entry(self.dividing, tag_id):
                    return False
                found = last_child_of(place)
                if found is NULL:
                    break
                place = found
        return False


cdef bint is_structured(Node node) noexcept:
    """Tell whether the type of a script names the format of structured data, perhaps among other words."""
    cdef const char* value
    cdef size_t size, at
    cdef Node attribute = first_attribute_of(node) if type_of(node) == ELEMENT_TYPE else NULL
    while attribute is not NULL:
        if is_named(attribute, b"type", 4):
            size = 0
            value = value_of(attribute, &size)
            for at in range(size if value is not NULL else 0):
                if value[at] == c"+" and at + 4 < size and small(value[at + 1]) == c"j":
                    return True
        attribute = next_attribute_of(attribute)
    return False


cdef inline int entry(bytes table, uintptr_t tag_id) noexcept:
    """Return the entry of a table for an element; 0 for unknown elements."""
    return (<const uint8_t*><const char*>table)[tag_id] if tag_id < TAGS else 0


cdef inline bint is_named(Node attribute, const char* name, size_t size) noexcept nogil:
    cdef size_t found_size = 0
    cdef const char* found = name_of(attribute, &found_size)
    return found is not NULL and found_size == size and memcmp(found, name, size) == 0


cdef object value_or_none(Node attribute):
    cdef size_t size = 0
    cdef const char* value = value_of(attribute, &size)
    return PyUnicode_DecodeUTF8(value, size, b"replace") if value is not NULL else None


cdef dict link_attributes(Node node):
    """Return the attributes of a link that are read."""
    cdef dict found = {}
    cdef Node attribute = first_attribute_of(node) if type_of(node) == ELEMENT_TYPE else NULL
    while attribute is not NULL:
        if is_named(attribute, b"href", 4):
            found["href"] = value_or_none(attribute)
        elif is_named(attribute, b"rel", 3):
            found["rel"] = value_or_none(attribute)
        attribute = next_attribute_of(attribute)
    return found


cdef dict attributes_of(Node node):
    """Return all attributes."""
    cdef dict found = {}
    cdef size_t size = 0
    cdef const char* name
    cdef Node attribute = first_attribute_of(node) if type_of(node) == ELEMENT_TYPE else NULL
    while attribute is not NULL:
        name = name_of(attribute, &size)
        if name is not NULL:
            found[PyUnicode_DecodeUTF8(name, size, b"replace")] = value_or_none(attribute)
        attribute = next_attribute_of(attribute)
    return found


cdef struct Sign:
    const char* name
    size_t name_size
    int match
    const char* value
    size_t size
    uintptr_t tag_id
    int question
    bint in_body


cdef struct Signs:
    Sign[SIGNS_MAX] all
    Py_ssize_t count
    unsigned int[256] begins  # which signs have a value that begins with this character
    unsigned int[256] names  # the same for the names of attributes
    unsigned int absent, in_body


def find_signed(Tree tree not None, tuple rows not None, Py_ssize_t questions, body):
    """Return the elements with a sign, for each question.

    Rows have the name of an attribute, how it must match, a value, the number of the element, the question,
    and whether only the body is searched.
    """
    cdef Signs signs
    cdef Sign* sign
    cdef Walk walk = Walk(tree)
    cdef Node body_node = <Node><uintptr_t>body.mem_id if body is not None else NULL
    cdef list found = [[] for _ in range(questions)], asked = []
    cdef unsigned int told, wanted
    cdef Py_ssize_t place
    if len(rows) > SIGNS_MAX:
        raise ValueError("too many signs")
    signs.count, signs.absent, signs.in_body = len(rows), 0, 0
    for place in range(256):
        signs.begins[place] = signs.names[place] = 0
    for place, (name, match, value, tag_id, question, in_body) in enumerate(rows):
        if not 0 <= question < questions or not name:
            raise ValueError("a sign is of a question, and has a name")
        sign = &signs.all[place]
        sign.name, sign.name_size, sign.value, sign.size = <bytes>name, len(name), <bytes>value, len(value)
        sign.match, sign.tag_id, sign.question = match, tag_id, question
        signs.names[<uint8_t>sign.name[0]] |= 1 << place
        signs.absent |= <unsigned int>(match == ABSENT) << place
        signs.in_body |= <unsigned int>(in_body) << place
        if value:
            signs.begins[<uint8_t>sign.value[0]] |= 1 << place
            if match != PART:
                signs.begins[<uint8_t>value.upper()[0]] |= 1 << place
    wanted = ~signs.in_body
    while walk.next() is not NULL:
        if walk.node is body_node:
            wanted = ~0u
        told = signs_of(walk.node, &signs) & wanted if type_of(walk.node) == ELEMENT_TYPE else 0
        for place in range(signs.count if told else 0):
            if told >> place & 1:
                if signs.all[place].question not in asked:
                    asked.append(signs.all[place].question)
        if asked:
            node = walk.wrapped()
            for question in asked:
                found[question].append(node)
            asked.clear()
    return found


cdef unsigned int signs_of(Node node, const Signs* signs) noexcept nogil:
    """Return which signs an element has, a bit for each."""
    cdef uintptr_t tag_id = tag_id_of(node)
    cdef Node attribute = first_attribute_of(node)
    cdef const char* name
    cdef const char* value
    cdef size_t name_size = 0, size = 0
    cdef const Sign* sign
    cdef Py_ssize_t place
    cdef unsigned int told = 0, asked, candidates
    for place in range(signs.count if signs.absent else 0):
        told |= <unsigned int>(signs.absent >> place & 1 and signs.all[place].tag_id == tag_id) << place
    while attribute is not NULL:
        name = local_name_of(attribute, &name_size)
        candidates = signs.names[<uint8_t>name[0]] if name is not NULL and name_size else 0
        asked = 0
        for place in range(signs.count if candidates else 0):
            sign = &signs.all[place]
            if not candidates >> place & 1 or name_size != sign.name_size:
                continue
            if memcmp(name, sign.name, name_size) != 0 or (sign.tag_id and tag_id != sign.tag_id):
                continue
            if sign.match == ABSENT:
                told &= ~(1u << place)
            elif sign.match == PRESENT:
                told |= 1u << place
            else:
                asked |= 1u << place
        if asked:
            value = value_of(attribute, &size)
            if value is not NULL:
                told |= held(value, size, signs, asked)
        attribute = next_attribute_of(attribute)
    return told


cdef unsigned int held(const char* value, size_t size, const Signs* signs, unsigned int asked) noexcept nogil:
    """Return which of the wanted values occur in this one."""
    cdef unsigned int told = 0, here
    cdef size_t at
    cdef Py_ssize_t place
    for at in range(size):
        here = signs.begins[<uint8_t>value[at]] & asked
        for place in range(signs.count if here else 0):
            if here >> place & 1 and stands(value, size, at, &signs.all[place]):
                told |= 1u << place
    return told


cdef bint stands(const char* value, size_t size, size_t at, const Sign* sign) noexcept nogil:
    """Tell whether the value of a sign occurs at this place of an attribute's value."""
    cdef size_t place, end = at + sign.size
    if end > size:
        return False
    for place in range(sign.size):
        if (value[at + place] if sign.match == PART else small(value[at + place])) != sign.value[place]:
            return False
    if sign.match != WORD:
        return True
    return (at == 0 or is_space(value[at - 1])) and (end == size or is_space(value[end]))


cdef inline char small(char letter) noexcept nogil:
    return letter | 0x20 if c"A" <= letter <= c"Z" else letter


cdef inline bint is_space(char letter) noexcept nogil:
    return letter == c" " or letter == c"\t" or letter == c"\n" or letter == c"\r" or letter == c"\f"
