package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A file contains the intents of one subject, as lines of JSON: first the version, then
// the changes in chronological order. Lines are only appended, so that a change that was
// not synced cannot damage an earlier one that was. A file with a long history is replaced
// as a whole.

const (
	ending  = ".json"
	version = 2
	// header is the first line of every file.
	header = `{"version":2}` + "\n"
)

// record is one line of a file.
type record struct {
	Version int     `json:"version,omitempty"`
	Put     *Intent `json:"put,omitempty"`
	Settled string  `json:"settled,omitempty"`
}

// content is the content of a file.
type content struct {
	// text is what the file contains.
	text    []byte
	intents []Intent
	// lines is the number of changes.
	lines int
	// torn is true if the end of the file is incomplete, because the machine lost power
	// before it was synced.
	torn bool
}

// UnreadableError reports files of the journal that this version of declprov cannot
// read. All other files were read.
type UnreadableError struct{ Files []UnreadableFile }

// UnreadableFile is a file that cannot be read, and the reason.
type UnreadableFile struct{ Path, Reason string }

func (e *UnreadableError) Error() string {
	var text []string
	for _, f := range e.Files {
		text = append(text, fmt.Sprintf("%s in the journal cannot be read: %s. It may describe an object that was created and never recorded: "+
			"read the file, look for the object in the service, then delete the file", f.Path, f.Reason))
	}
	return strings.Join(text, "\n")
}

var errEarlier = errors.New("an earlier version of declprov wrote it")

// parse decodes the text of a file.
func parse(text []byte) (c content, err error) {
	first, rest, whole := bytes.Cut(text, []byte("\n"))
	if !whole {
		if torn := bytes.Trim(first, "\x00"); !strings.HasPrefix(header, string(torn)) {
			return c, errors.New("it is not a journal file")
		}
		c.torn = len(text) > 0
		return c, nil
	}
	var head struct {
		Version int
		Key     string
	}
	switch err := json.Unmarshal(first, &head); {
	case err == nil && head.Version == 0 && head.Key != "":
		return c, errEarlier
	case err != nil || head.Version == 0:
		return c, errors.New("it is not a journal file")
	case head.Version > version:
		return c, fmt.Errorf("a newer version of declprov wrote it (expected format %[2]d, got %[1]d): use that version", head.Version, version)
	case head.Version < version:
		return c, errEarlier
	}
	err = c.add(rest)
	return c, err
}

// add applies the changes of some lines that follow.
func (c *content) add(rest []byte) error {
	for len(rest) > 0 {
		var line []byte
		var whole bool
		line, rest, whole = bytes.Cut(rest, []byte("\n"))
		var r record
		if err := json.Unmarshal(line, &r); err != nil || !whole || r.Put == nil && r.Settled == "" {
			if len(rest) == 0 {
				c.torn = true
				break
			}
			return fmt.Errorf("line %d is damaged", c.lines+2)
		}
		c.apply(r)
	}
	return nil
}

// apply applies the change of one line.
func (c *content) apply(r record) {
	c.lines++
	key := r.Settled
	if r.Put != nil {
		key = r.Put.Key
	}
	i := slices.IndexFunc(c.intents, func(i Intent) bool { return i.Key == key })
	switch {
	case r.Put != nil && i >= 0:
		c.intents[i] = *r.Put
	case r.Put != nil:
		c.intents = append(c.intents, *r.Put)
	case i >= 0:
		c.intents = slices.Delete(c.intents, i, i+1)
	}
}

// isLong reports whether most of the file is history.
func (c *content) isLong() bool { return c.lines > 64 && c.lines > 8*len(c.intents) }

func encode(b *bytes.Buffer, r record) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// appendRecords appends changes to a file, and creates it if it is missing. It
// returns the open file, which the caller syncs and closes, and what was appended. If the disk is
// full, the file remains unchanged.
func appendRecords(path string, records []record) (_ *os.File, added []byte, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, nil, err
	}
	var text bytes.Buffer
	if size == 0 {
		text.WriteString(header)
	}
	for _, r := range records {
		if err := encode(&text, r); err != nil {
			return nil, nil, err
		}
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		return nil, nil, errors.Join(err, f.Truncate(size))
	}
	return f, text.Bytes(), nil
}

// replaceFile replaces a file by one without history. It always syncs the new file,
// because the old one may have been synced.
func replaceFile(path string, intents []Intent) (*os.File, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return nil, err
	}
	text := bytes.NewBufferString(header)
	for _, i := range intents {
		err = errors.Join(err, encode(text, record{Put: &i}))
	}
	if err == nil {
		_, err = temp.Write(text.Bytes())
	}
	if err == nil {
		err = temp.Sync()
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return nil, errors.Join(err, temp.Close(), os.Remove(temp.Name()))
	}
	return temp, nil
}

// syncFolder syncs a folder, so that the names in it survive a loss of power.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
