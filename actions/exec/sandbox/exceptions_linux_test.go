package sandbox

import "testing"

// exceptionScripts show each exception, by its text.
func exceptionScripts() map[string]string {
	return map[string]string{
		"see whether a file exists, its size, owner, mode and times":       `stat $OUT/secret`,
		"see where a symbolic link leads":                                  `readlink $OUT/link`,
		"change the mode of a file that its user owns":                     `chmod 700 $OUT/secret`,
		"change the owner of a file, if root runs it":                      `chown 1 $OUT/secret`,
		"change the times of a file that its user owns":                    `$SELF times $OUT/secret`,
		"change the extended attributes of a file that its user may write": `$SELF attribute $OUT/secret`,
		"make a folder its working folder, without reading it":             `cd $OUT`,
		"see when a folder that its user may read changes":                 `$SELF watch $OUT`,
		"run a program that it made in memory":                             `$SELF inmemory /bin/true`,
		"have a shell or another interpreter run a program of its own":     `echo 'exit 0' > $IN/own && sh $IN/own`,
		"connect to a socket that is a file, such as a container engine's": `$SELF connect unix $OUT/socket`,
		"listen on a TCP port that the kernel chooses":                     `$SELF unbound`,
		"send and receive UDP, to and from any address":                    `$SELF udp $ADDR`,
		"connect to a granted port on any host":                            `$SELF connect tcp $ADDR`,
	}
}

// TestExceptions: what the page says that a command can do, it can, as every user,
// or else the page says too much. That it says all is for TestEscapes to show.
func TestExceptions(t *testing.T) {
	needKernel(t)
	scripts := exceptionScripts()
	for _, e := range Exceptions() {
		script, ok := scripts[e.What]
		if !ok {
			t.Errorf("no script shows: %s", e.What)
			continue
		}
		delete(scripts, e.What)
		for _, who := range users() {
			if e.What == "change the owner of a file, if root runs it" && !who.root() {
				continue
			}
			t.Run(who.name+"/"+e.What, func(t *testing.T) {
				w := who.newWorld(t)
				if e.Ports {
					w.hosts = []string{"http://" + w.addr}
				}
				out, err := w.run(t, w.rules(t), script)
				if closed := e.Closed > 0 && Here().ABI >= e.Closed; (err != nil) != closed {
					t.Errorf("refused is %v, want %v: %v\n%s", err != nil, closed, err, out)
				}
				if !e.Ports {
					return
				}
				w.hosts = nil
				if out, err := w.run(t, w.rules(t), script); err == nil {
					t.Errorf("it can without a port, too: %s", out)
				}
			})
		}
	}
	for what := range scripts {
		t.Errorf("the list lacks: %s", what)
	}
}
