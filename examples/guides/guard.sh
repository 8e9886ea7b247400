#!/bin/sh
# The call is one line of JSON on stdin; the answer is one JSON object on stdout, with the nonce of the call.
call=$(cat)
nonce=$(printf '%s' "$call" | sed 's/.*"nonce":"\([^"]*\)".*/\1/')
case $call in
  *'"path":"/etc/'*) decision='{"action":"block","message":"Nothing in /etc, please."}' ;;
  *) decision=null ;;
esac
printf '{"nonce":"%s","decision":%s}\n' "$nonce" "$decision"
