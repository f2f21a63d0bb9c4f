# Completes the words of tiptoe in fish. Written by `tiptoe completion fish`; do not edit.

@TABLES@
# Offers what fits a value: "crawl", "file", "word" (nothing is known of it), or the words to choose from.
function __tiptoe_offer -a what before typed
    switch $what
        case crawl
            set -l crawls $typed*/crawl.json
            if set -q crawls[1]
                string replace -r '/crawl\.json$' '' -- $before$crawls
            else # one may lie further down
                __fish_complete_directories $typed '' | string replace -r '^' -- $before
            end
        case file
            __fish_complete_path $typed | string replace -r '^' -- $before
        case word nothing
        case '*'
            printf '%s\n' $before(string split ' ' -- $what)
    end
end

function __tiptoe_follow
    set -l at ''
    set -l pending ''
    set -l places 0
    for word in (commandline -opc)[2..]
        if test -n "$pending"
            set pending ''
        else if string match -q -- '-?*' $word
            if not string match -q -- '*=*' $word; and test (__tiptoe_value "$at $word") != nothing
                set pending $word
            end
        else if __tiptoe_commands $at | string match -q -- $word\t'*'
            set at (string trim -- "$at $word")
        else
            set places (math $places + 1)
        end
    end
    set -l typed (commandline -ct)
    if test -n "$pending"
        __tiptoe_offer (__tiptoe_value "$at $pending") '' $typed
    else if string match -q -- '--*=*' $typed
        set -l parts (string split -m 1 = -- $typed)
        __tiptoe_offer (__tiptoe_value "$at $parts[1]") "$parts[1]=" $parts[2]
    else if string match -q -- '-*' $typed
        __tiptoe_options $at
    else if test -n "$(__tiptoe_commands $at)"
        __tiptoe_commands $at
    else
        __tiptoe_offer (__tiptoe_place "$at $places") '' $typed
    end
end

complete -c tiptoe -f -a '(__tiptoe_follow)'
