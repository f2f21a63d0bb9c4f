#compdef tiptoe
# Completes the words of tiptoe in zsh. Written by `tiptoe completion zsh`; do not edit.

@TABLES@
# Offers what fits a value: "crawl", "file", "word" (nothing is known of it), or the words to choose from.
_tiptoe_offer() {
    local -a crawls
    case $1 in
        crawl)
            # Where there is no crawl, one may lie further down.
            crawls=(${(Q)PREFIX}*/crawl.json(N:h))
            if (( $#crawls )); then compadd -f -- $crawls; else _files -/; fi ;;
        file) _files ;;
        word) _message 'a value' ;;
        *) compadd -- ${=1} ;;
    esac
}

_tiptoe() {
    local at='' pending='' word
    local -i places=0 i
    local -a reply names
    for ((i = 2; i < CURRENT; i++)); do
        word=${words[i]}
        if [[ -n $pending ]]; then
            pending=''
        elif [[ $word == -?* ]]; then
            [[ $word == *=* || $(_tiptoe_value "$at $word") == nothing ]] || pending=$word
        else
            _tiptoe_commands "$at"
            names=(${reply%%:*})
            if (( ${names[(Ie)$word]} )); then at=${at:+$at }$word; else (( ++places )); fi
        fi
    done
    word=${words[CURRENT]}
    if [[ -z $pending && $word == --*=* ]]; then
        pending=${word%%=*}
        compset -P '*='
    fi
    if [[ -n $pending ]]; then
        _tiptoe_offer "$(_tiptoe_value "$at $pending")"
    elif [[ $word == -* ]]; then
        _tiptoe_options "$at"
        _describe -o 'option' reply
    else
        _tiptoe_commands "$at"
        if (( $#reply )); then
            _describe 'command' reply
        else
            _tiptoe_offer "$(_tiptoe_place "$at" $places)"
        fi
    fi
}

if [[ ${funcstack[1]} == _tiptoe ]]; then _tiptoe "$@"; else compdef _tiptoe tiptoe; fi
