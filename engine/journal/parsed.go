package journal

import (
	"bytes"
	"slices"
	"sync"
)

// parsed has the content of some files as they were read last. As lines are only appended to a file, the beginning of
// one that has been read before need not be parsed again.
type parsed struct {
	mu     sync.Mutex
	byPath map[string]reading
}

// reading is the text of a file, and its content.
type reading struct {
	text []byte
	content
}

// What is kept is bounded: a process may change thousands of files, each a few times.
const (
	maxReadings = 64
	maxReading  = 64 << 10
)

// parse is like the function of that name. What it returns depends on the text alone: a file that another process
// has replaced does not begin as before, or means the same.
func (p *parsed) parse(path string, text []byte) (content, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var c content
	var err error
	if last, ok := p.byPath[path]; ok && bytes.HasPrefix(text, last.text) {
		c = last.content
		c.intents = slices.Clone(c.intents)
		err = c.add(text[len(last.text):])
	} else {
		c, err = parse(text)
	}
	if delete(p.byPath, path); err != nil || c.torn || len(text) == 0 || len(text) > maxReading {
		return c, err
	}
	if p.byPath == nil || len(p.byPath) == maxReadings {
		p.byPath = map[string]reading{}
	}
	kept := c
	kept.intents = slices.Clone(c.intents)
	p.byPath[path] = reading{text, kept}
	return c, nil
}
