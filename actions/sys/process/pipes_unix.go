//go:build unix

package process

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/declprov/declprov/spec/lists"
)

// pipes are the standard files of a command: theirs for the command, the others for us.
type pipes struct {
	theirs []*os.File // stdin, stdout, stderr
	stdin  *os.File   // nil if there is nothing to write
	out    []*os.File // our ends of stdout and stderr, unless they are discarded
	read   sync.WaitGroup
}

func openPipes(c Command) (p *pipes, err error) {
	p = &pipes{}
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.close()
		}
	}()
	if c.Stdin == nil {
		err = p.null(os.O_RDONLY)
	} else {
		var r *os.File
		if r, p.stdin, err = os.Pipe(); err == nil {
			p.theirs = append(p.theirs, r)
		}
	}
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		switch {
		case err != nil:
			return p, err
		case w == nil:
			err = p.null(os.O_WRONLY)
		default:
			var ours, theirs *os.File
			if ours, theirs, err = os.Pipe(); err == nil {
				p.out, p.theirs = append(p.out, ours), append(p.theirs, theirs)
			}
		}
	}
	return p, err
}

func (p *pipes) null(mode int) error {
	f, err := os.OpenFile(os.DevNull, mode, 0)
	if err == nil {
		p.theirs = append(p.theirs, f)
	}
	return err
}

func (p *pipes) descriptors() []int {
	return lists.Map(p.theirs, func(f *os.File) int { return int(f.Fd()) })
}

// closeTheirs closes the command's ends in this process.
func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		_ = f.Close()
	}
	p.theirs = nil
}

// copy starts to copy the command's input and output.
func (p *pipes) copy(c Command) {
	if p.stdin != nil {
		go func() {
			// The command need not read all of its input.
			_, _ = io.Copy(p.stdin, c.Stdin)
			_ = p.stdin.Close()
		}()
	}
	next := 0
	for _, w := range []io.Writer{c.Stdout, c.Stderr} {
		if w == nil {
			continue
		}
		r := p.out[next]
		next++
		p.read.Go(func() { _, _ = io.Copy(plainWriter{w}, r) })
	}
}

// plainWriter hides all methods of a writer but Write, so that io.Copy uses one buffer.
type plainWriter struct{ io.Writer }

// drain waits until all output is read, but only for outputDelay, since processes that the
// command left running may keep writing.
func (p *pipes) drain() {
	timer := time.AfterFunc(outputDelay, p.close)
	p.read.Wait()
	timer.Stop()
}

// close closes our ends.
func (p *pipes) close() {
	for _, f := range p.out {
		_ = f.Close()
	}
	if p.stdin != nil {
		_ = p.stdin.Close()
	}
}
