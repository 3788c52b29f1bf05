package sandbox

// networkEscapes concern sockets.
func networkEscapes() []escape {
	return []escape{
		{name: "connect", script: `$SELF connect tcp $ADDR`, ports: true},
		{name: "connect by IPv6 to an address of IPv4", script: `$SELF mapped $ADDR`, ports: true},
		{name: "connect by sending", script: `$SELF fastopen $ADDR`, ports: true},
		{name: "connect by sending a message", script: `$SELF fastmsg $ADDR`, ports: true},
		{name: "connect by sending messages", script: `$SELF fastmmsg $ADDR`, ports: true},
		{name: "connect with the first data", script: `$SELF fastconnect $ADDR`, ports: true},
		{name: "listen", script: `$SELF listen 127.0.0.1:0`, ports: true},
		{name: "use Multipath TCP", script: `$SELF mptcp`, ports: true},
		{name: "connect to the host of a virtual machine", script: `$SELF vsock`, ports: true},
		{name: "use raw sockets", script: `$SELF raw`, root: true, ports: true},
		{name: "use raw sockets of IPv6", script: `$SELF raw6`, root: true, ports: true},
		{name: "see all packets", script: `$SELF packet`, root: true, ports: true},
		{name: "mark its packets", script: `$SELF mark`, root: true, ports: true},
		{name: "change the network's interfaces", script: `$SELF link`, root: true, ports: true},
		{name: "see the kernel's events", script: `$SELF uevents`, ports: true},
		{name: "see the machine's sockets", script: `$SELF sockdiag`, ports: true},
		{name: "see the machine's connections", script: `cat /proc/net/tcp`},
		{name: "connect to an abstract socket", script: `$SELF connect unix @$ABSTRACT`},
		{name: "send to an abstract socket", script: `$SELF connect unixgram @$DATAGRAMS`},
		{
			name: "connect to a socket that is a file, such as a container engine's", script: `$SELF connect unix $OUT/socket`,
			open: &exception{why: "Landlock has rules for such sockets since ABI 9", closed: 9},
		},
		{
			name: "see the addresses and routes of the machine", script: `$SELF links`,
			open: &exception{why: "name resolution reads them"},
		},
		{
			name: "listen on a TCP port that the kernel chooses", script: `$SELF unbound`,
			open: &exception{why: "Landlock only checks bind, and a program may listen without bind: the kernel then chooses a port; refused if no port is granted", ports: true},
		},
		{
			name: "listen on a TCP port of IPv6 that the kernel chooses", script: `$SELF unbound6`,
			open: &exception{why: "as for IPv4", ports: true},
		},
		{
			name: "send and receive UDP, to and from any address", script: `$SELF udp $ADDR`,
			open: &exception{why: "name resolution uses UDP; refused if no port is granted", ports: true},
		},
		{
			name: "connect to a granted port on any host", script: `$SELF connect tcp $ADDR`,
			open: &exception{why: "the kernel checks ports, not host names", ports: true},
		},
	}
}
