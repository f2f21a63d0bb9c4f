# Completes the words of tiptoe in bash. Written by `tiptoe completion bash`; do not edit.

@TABLES@
# Offers what fits a value: "crawl", "file", "word" (nothing is known of it), or the words to choose from.
_tiptoe_offer() {
    local found directory
    local -a crawls=()
    case $1 in
        crawl)
            while IFS= read -r directory; do
                [[ -e $directory/crawl.json ]] && crawls+=("$directory")
            done < <(compgen -d -- "$cur")
            # Where there is no crawl, one may lie further down.
            if ((${#crawls[@]})); then COMPREPLY=("${crawls[@]}"); else mapfile -t COMPREPLY < <(compgen -d -- "$cur"); fi
            compopt -o filenames 2>/dev/null ;;
        file)
            mapfile -t COMPREPLY < <(compgen -f -- "$cur")
            compopt -o filenames 2>/dev/null ;;
        word) ;;
        *) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur") ;;
    esac
}

_tiptoe() {
    local cur=${COMP_WORDS[COMP_CWORD]} path='' pending='' word i
    local -i places=0
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # bash takes --out=x and a:b apart at = and :
        if [[ $word == : ]]; then
            ((i++))
        elif [[ $pending ]]; then
            [[ $word == = ]] || pending=''
        elif [[ $word == -?* ]]; then
            [[ $(_tiptoe_value "$path $word") == nothing ]] || pending=$word
        elif [[ " $(_tiptoe_commands "$path") " == *" $word "* ]]; then
            path=${path:+$path }$word
        else
            ((places++))
        fi
    done
    [[ $cur == = ]] && cur=''
    if [[ $pending ]]; then
        _tiptoe_offer "$(_tiptoe_value "$path $pending")"
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_tiptoe_options "$path")" -- "$cur")
    elif [[ $(_tiptoe_commands "$path") ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_tiptoe_commands "$path")" -- "$cur")
    else
        _tiptoe_offer "$(_tiptoe_place "$path" "$places")"
    fi
}

complete -F _tiptoe tiptoe
