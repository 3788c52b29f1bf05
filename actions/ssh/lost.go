package ssh

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/declprov/declprov/actions/sys/process"
)

// lostCommands are the commands on a machine that may still run, because their connection broke.
type lostCommands struct {
	// lock is held while the list is used.
	lock chan struct{}
	list []lostCommand
}

type lostCommand struct {
	leader
	grace time.Duration
}

func newLostCommands() *lostCommands { return &lostCommands{lock: make(chan struct{}, 1)} }

func (l *lostCommands) add(of leader, grace time.Duration) {
	if of.id <= 1 {
		return
	}
	l.lock <- struct{}{}
	l.list = append(l.list, lostCommand{of, grace})
	<-l.lock
}

// lostScript ends a process group with SIGTERM and, after some seconds, SIGKILL, and waits until its leader has ended. Where a
// process cannot be identified, it only waits: the id may be that of another process by now. (If the machine noticed that the
// connection broke, the guard ends the group.) A zombie has ended.
const lostScript = `
exec 2>/dev/null
group=$1 boot=$2 start=$3 grace=$4 id=${1#-}
runs() {
	[ -n "$start" ] || { kill -s 0 "$id"; return; }
	read -r now </proc/sys/kernel/random/boot_id && [ "$now" = "$boot" ] && read -r stat </proc/"$id"/stat || return 1
	set -- ${stat##*\)}
	[ "$1" != Z ] && [ "${20}" = "$start" ]
}
runs || exit 0
[ -z "$start" ] || kill -s TERM -- "$group"
while [ "$grace" -gt 0 ] && kill -s 0 -- "$group"; do sleep 1; grace=$((grace - 1)); done
[ -z "$start" ] || kill -s KILL -- "$group"
for i in 1 2 3 4 5; do
	runs || exit 0
	sleep 1
done
exit 75`

// endLost ends the commands whose connection broke: what follows must not run beside them.
func (c *Client) endLost(ctx context.Context) error {
	select {
	case c.lost.lock <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-c.lost.lock }()
	for len(c.lost.list) > 0 {
		lost := c.lost.list[0]
		seconds := strconv.Itoa(int(math.Ceil(lost.grace.Seconds())))
		_, exit, err := c.run(ctx, &process.Command{Args: []string{"/bin/sh", "-c", lostScript, "sh", lost.target(), lost.boot, lost.start, seconds}})
		switch {
		case err != nil:
			return fmt.Errorf("end the command whose connection broke: %w", err)
		case exit != process.Exit{}:
			return fmt.Errorf("the command whose connection broke is still running there, as process %d", lost.id)
		}
		c.lost.list = c.lost.list[1:]
	}
	return nil
}
