package sandbox

// processEscapes concern other processes.
func processEscapes() []escape {
	seen := &exception{why: "Landlock has rules for signals and tracing, but not for what can be learned from a process id"}
	return []escape{
		{name: "signal a process", script: `kill -0 $PID`},
		{name: "signal a group of processes", script: `$SELF killgroup $PID`},
		{name: "signal a thread", script: `$SELF tgkill $PID`},
		{name: "signal its launcher", script: `kill -0 $LAUNCHER`, root: true},
		{name: "signal a process by its handle", script: `$SELF pidfdsignal $PID`},
		{name: "signal a process by what a file has to say", script: `$SELF sigio $PID`, ends: true},
		{name: "queue a signal", script: `$SELF queue $PID`},
		{name: "queue a signal for a thread", script: `$SELF tgqueue $PID`},
		{name: "trace a process", script: `$SELF trace $PID`},
		{name: "trace its launcher", script: `$SELF trace $LAUNCHER`, root: true},
		{name: "read the memory of a process", script: `$SELF peek $PID`},
		{name: "write the memory of a process", script: `$SELF poke $PID`},
		{name: "open the memory of a process", script: `$SELF memory $PID`},
		{name: "see a process's list of locks", script: `$SELF robust $PID`},
		{name: "advise on the memory of a process", script: `$SELF advise $PID`, root: true},
		{name: "see on which nodes a process has its memory", script: `$SELF movepages $PID`},
		{name: "move the memory of a process", script: `$SELF migrate $PID`},
		{name: "take the memory of a process", script: `$SELF release $PID`},
		{name: "take a file from a process", script: `$SELF getfd $PID`},
		{name: "compare processes", script: `$SELF kcmp $PID`},
		{name: "join a process's namespace", script: `$SELF setns $PID`, root: true},
		{name: "see the environment of a process", script: `cat /proc/$PID/environ`},
		{name: "see the environment of its launcher", script: `cat /proc/$LAUNCHER/environ`, root: true},
		{name: "see the command line of a process", script: `cat /proc/$PID/cmdline`},
		{name: "see the files of a process", script: `ls /proc/$PID/fd`},
		{name: "see the map of a process's memory", script: `cat /proc/$PID/maps`},
		{name: "see the processes", script: `ls /proc`},
		{name: "see what it is itself in /proc", script: `cat /proc/self/status`},
		{name: "have a process be killed first", script: `echo 1000 > /proc/$PID/oom_score_adj`},
		{name: "limit a process", script: `prlimit --pid $PID --nofile=64:64`},
		{name: "limit a process by the call", script: `$SELF prlimit $PID`},
		{name: "limit a process behind a filter of its own", script: `$SELF behind prlimit $PID`},
		{name: "slow a process down", script: `renice -n 19 -p $PID`},
		{name: "slow a process down by the call", script: `$SELF priority $PID`},
		{name: "slow a group of processes down", script: `$SELF grouppriority $PID`},
		{name: "set the disk's priority of a process", script: `ionice -c 3 -p $PID`},
		{name: "set the disk's priority of a process by the call", script: `$SELF ioprio $PID`},
		{name: "bind a process to a processor", script: `taskset -p 1 $PID`},
		{name: "bind a process to a processor by the call", script: `$SELF affinity $PID`},
		{name: "set the scheduler of a process", script: `$SELF scheduler $PID`},
		{name: "set the scheduler's attributes of a process", script: `$SELF schedattr $PID`},
		{name: "see whether a process exists, and when it ends", script: `$SELF pidfd $PID`, open: seen},
		{name: "see a process's session and group", script: `$SELF session $PID`, open: seen},
		{name: "see a process's priority and scheduler", script: `$SELF scheduling $PID`, open: seen},
	}
}

// sharingEscapes concern objects that processes share without a file.
func sharingEscapes() []escape {
	return []escape{
		{name: "share memory by number", script: `$SELF shmget`},
		{name: "share memory by name", script: `echo x > /dev/shm/declprov-$$ && rm /dev/shm/declprov-$$`},
		{name: "share a semaphore by number", script: `$SELF semget`},
		{name: "share a queue by number", script: `$SELF msgget`},
		{name: "share a queue by name", script: `$SELF mqopen`},
		{name: "look for a keyring", script: `$SELF keyctl`},
		{name: "add a key", script: `$SELF addkey`},
		{name: "ask for a key", script: `$SELF requestkey`},
		{name: "type on a terminal", script: `$SELF type`, root: true},
		{name: "copy what is on a console", script: `$SELF console`},
		{name: "open a terminal of its own", script: `$SELF open /dev/ptmx`},
	}
}
