package journal

import (
	"bytes"
	"slices"
	"sync"
)

// parseCache has the content of some files as they were read last, or as this Journal has changed them since. As lines are
// only appended to a file, the beginning of one that has been read before need not be parsed again.
type parseCache struct {
	mu     sync.Mutex
	byPath map[string]content
}

// What is kept is bounded: a process may change thousands of files, each a few times.
const (
	maxKept     = 64
	maxKeptText = 64 << 10
)

// parse is like the function of that name. It reuses what is kept only if the text begins with the
// same bytes, so a file that another process has replaced is parsed as a whole.
func (p *parseCache) parse(path string, text []byte) (content, error) {
	p.mu.Lock()
	last, ok := p.byPath[path]
	p.mu.Unlock()
	var c content
	var err error
	if ok && bytes.HasPrefix(text, last.text) {
		c = last
		c.intents = slices.Clone(c.intents)
		err = c.add(text[len(last.text):])
	} else {
		c, err = parse(text)
	}
	c.text = text
	if err == nil {
		p.keep(path, c)
	}
	return c, err
}

// keep keeps the content of a file, whose intents are those that its text describes.
func (p *parseCache) keep(path string, c content) {
	c.intents = slices.Clone(c.intents)
	for n := range c.intents {
		i := &c.intents[n]
		// These are not in the text.
		i.live, i.Sent, i.Began = false, i.Sent.Round(0), i.Began.Round(0)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byPath, path)
	if c.torn || len(c.text) == 0 || len(c.text) > maxKeptText {
		return
	}
	if p.byPath == nil || len(p.byPath) == maxKept {
		p.byPath = map[string]content{}
	}
	p.byPath[path] = c
}
