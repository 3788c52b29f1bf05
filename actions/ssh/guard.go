package ssh

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/declprov/declprov/actions/sys/process"
)

// guard is a shell on the machine, one for each connection. It ends the commands of the connection when the connection ends, since a
// machine lets them run on, and sends signals to them. A nil guard does nothing.
type guard struct {
	mu      sync.Mutex
	channel ssh.Channel
}

// guardScript reads lines: "add GROUP SECONDS", "drop GROUP", and "signal GROUP NAME". At the end of its input, it ends the groups
// whose leader is still running: a command that ended by itself may have left processes that are to stay.
const guardScript = `
exec 2>/dev/null
trap '' HUP INT TERM PIPE
groups= grace=0 hit=
while read -r verb group value; do
	case $verb in
	add)
		groups="$groups $group"
		[ "$value" -le "$grace" ] || grace=$value ;;
	drop)
		left=
		for g in $groups; do [ "$g" = "$group" ] || left="$left $g"; done
		groups=$left ;;
	signal)
		kill -s "$value" -- "$group" ;;
	esac
done
for g in $groups; do
	kill -s 0 "${g#-}" && kill -s TERM -- "$g" && hit="$hit $g"
done
while [ "$grace" -gt 0 ]; do
	left=
	for g in $hit; do kill -s 0 -- "$g" && left=1; done
	[ -n "$left" ] || exit 0
	sleep 1
	grace=$((grace - 1))
done
for g in $hit; do kill -s KILL -- "$g"; done`

// guardWait is how long a machine may take to start a guard.
const guardWait = 10 * time.Second

// startGuard returns the guard of the connection, and starts it if necessary. It returns nil if the machine does not allow
// another session, or runs something else.
func (c *Client) startGuard(ctx context.Context) *guard {
	c.guardOnce.Do(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), guardWait)
		defer cancel()
		s, err := c.start(ctx, io.Discard, io.Discard, func(ctx context.Context) (*opened, error) {
			return await(ctx, 0, c.openChannel, closeLate)
		})
		if err != nil {
			return
		}
		script, err := buildScript(&process.Command{Args: []string{"/bin/sh", "-c", guardScript}}, s.nonce)
		if err != nil || s.send(script) != nil {
			go s.channel.Close()
			return
		}
		c.guard = &guard{channel: s.channel}
	})
	return c.guard
}

// add makes the guard end the command if the connection ends.
func (g *guard) add(l leader, grace time.Duration) {
	if l.id > 1 {
		g.write("add", l, int(math.Ceil(grace.Seconds())))
	}
}

// drop says that the command has ended.
func (g *guard) drop(l leader) { g.write("drop", l, 0) }

// signal sends a signal to the command, and reports whether the guard was asked to.
func (g *guard) signal(l leader, name string) bool { return g.write("signal", l, name) }

func (g *guard) write(verb string, l leader, value any) bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := io.Copy(g.channel, strings.NewReader(fmt.Sprintf("%s %s %v\n", verb, l.target(), value)))
	return err == nil
}
