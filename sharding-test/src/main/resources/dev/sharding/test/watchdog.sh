# Runs one program, and kills it when standard input ends, thus when the JVM at the other
# end is gone, however it went. The first line of output is the process id of the program.
# $1 is the log file, the rest is the program with its arguments.
log=$1
shift
exec 3<&0
# Where there is no setsid: a Ctrl-C is for the JVM, which may need the program until it ends.
trap '' INT HUP
"$@" </dev/null >>"$log" 2>&1 3<&- &
program=$!
echo "$program"
exec >/dev/null
{
	while read -r _ <&3; do :; done
	kill -KILL "$program"
} 2>/dev/null &
guard=$!
wait "$program"
status=$?
# The guard must not outlive the program: its number may be given to another one.
kill -KILL "$guard" 2>/dev/null
exit "$status"
