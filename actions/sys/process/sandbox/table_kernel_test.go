package sandbox

// kernelEscapes concern the kernel.
func kernelEscapes() []escape {
	return []escape{
		{name: "use io_uring", script: `$SELF iouring`},
		{name: "open by openat2", script: `$SELF openat2 $IN/file`},
		{name: "start by clone3", script: `$SELF clone3`},
		{name: "start in a user namespace", script: `$SELF newuser`},
		{name: "map itself to root", script: `unshare --user --map-root-user true`},
		{name: "take a user namespace of its own", script: `$SELF unshareuser`},
		{name: "mount", script: `mount -t tmpfs none $IN && umount $IN`, root: true},
		{name: "mount in a namespace of its own", script: `unshare --mount true`, root: true},
		{name: "unmount", script: `$SELF unmount $OUT`, root: true},
		{name: "change the flags of a mount", script: `$SELF mountsetattr $OUT`, root: true},
		{name: "move the root", script: `$SELF pivotroot $OUT`, root: true},
		{name: "take another root", script: `$SELF chroot $IN`, root: true},
		{name: "open a file system", script: `$SELF fsopen`, root: true},
		{name: "load a program into the kernel", script: `$SELF bpf`, root: true},
		{name: "take a module out of the kernel", script: `$SELF module`, root: true, optional: "kernels without modules"},
		{name: "put a module into the kernel", script: `$SELF insert`, root: true, optional: "kernels without modules"},
		{name: "make another kernel ready", script: `$SELF kexec`, root: true, optional: "kernels without kexec"},
		{name: "make another kernel ready from a file", script: `$SELF kexecfile`, root: true, optional: "kernels without kexec"},
		{name: "measure the machine", script: `$SELF perf`, root: true},
		{name: "handle its own page faults", script: `$SELF userfault`},
		{name: "handle the kernel's page faults", script: `$SELF kernelfault`, root: true},
		{name: "read the kernel's log", script: `$SELF dmesg`, root: true},
		{name: "read the kernel's log as a file", script: `$SELF open /dev/kmsg`, root: true},
		{name: "see where the kernel has its functions", script: `head -c 1 /proc/kallsyms`},
		{name: "watch a whole disk", script: `$SELF fanotify`, root: true},
		{name: "make a device", script: `mknod $IN/device b 7 0`, root: true},
	}
}

// machineEscapes concern the machine as a whole.
func machineEscapes() []escape {
	return []escape{
		{name: "set the clock", script: `$SELF clock`, root: true},
		{name: "set the time zone of the kernel", script: `$SELF zone`, root: true},
		{name: "set the host's name", script: `$SELF hostname`, root: true},
		{name: "set the host's domain", script: `$SELF domainname`, root: true},
		{name: "change the kernel's settings", script: `: >> /proc/sys/kernel/domainname`, root: true},
		{name: "restart the machine", script: `$SELF reboot`, root: true},
		{name: "add memory on a disk", script: `$SELF swapon`, root: true, optional: "kernels without swapping"},
		{name: "take memory on a disk away", script: `$SELF swapoff`, root: true, optional: "kernels without swapping"},
		{name: "ask for the quotas of a disk", script: `$SELF quota`, optional: "kernels without quotas"},
		{name: "ask for the quotas of a folder's disk", script: `$SELF quotaof $OUT`, optional: "kernels without quotas"},
		{name: "keep accounts of processes", script: `$SELF acct`, root: true, optional: "kernels without accounting"},
		{name: "hang a terminal up", script: `$SELF vhangup`, root: true},
		{name: "make a group of the machine's resources", script: `mkdir /sys/fs/cgroup/declprov-$$ && rmdir /sys/fs/cgroup/declprov-$$`, root: true},
	}
}

// privilegeEscapes concern privileges that the command or others would have afterwards.
func privilegeEscapes() []escape {
	return []escape{
		{name: "leave a set-uid program", script: `cp $IN/file $IN/own && chmod u+s $IN/own`},
		{name: "leave a set-uid program by its handle", script: `$SELF fchmod $IN/file`},
		{name: "leave a set-uid program by fchmodat", script: `$SELF fchmodat $IN/file`},
		{name: "leave a set-uid program by fchmodat2", script: `$SELF fchmodat2 $IN/file`},
		{name: "leave a set-gid program", script: `$SELF setgid $IN/file`},
		{name: "make a set-uid program", script: `$SELF openmode $IN/own`},
		{name: "make a set-uid program without a name", script: `$SELF tmpmode $IN`},
		{name: "make a set-uid program as a device", script: `$SELF nodemode $IN/own`},
		{name: "give a file capabilities", script: `$SELF filecaps $IN/file`, root: true},
		{name: "take back a capability", script: `$SELF regain`, root: true},
		{name: "give its children a capability", script: `$SELF ambient`, root: true},
		{name: "keep rights over a change of user", script: `$SELF securebits`, root: true},
	}
}
