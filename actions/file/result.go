package file

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// fileType is the type of what is known of a file.
func fileType() *spec.Type {
	return declare.Object(
		declare.Member("path", declare.Text(), "The path, as it was given."),
		declare.Member("size", declare.Int(), "Size in bytes."),
		declare.Member("sha256", declare.Text(), "SHA-256 of the content, in hex; computed only where it is referred to."),
		declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
		declare.Member("modified", declare.Text(), "When the content last changed: RFC 3339, in UTC."),
		declare.Member("content", declare.Text(), "The content, read only where it is referred to. It must be UTF-8; else it is null if contentBase64 is referred to as well, and an error if not."),
		declare.Member("contentBase64", declare.Text(), "The content, whatever it is, in base64; read only where it is referred to."),
	)
}

// attributes are what a look at a file tells without reading it.
func attributes(path string, info fs.FileInfo) map[string]any {
	return map[string]any{
		"path":     path,
		"size":     info.Size(),
		"mode":     modeText(info.Mode()),
		"modified": info.ModTime().UTC().Format(time.RFC3339Nano),
	}
}

// asked says which of the costly members of a result are wanted.
type asked struct{ sha256, content, base64 bool }

func askedOf(call *actions.Call, prefix string) asked {
	return asked{
		sha256:  call.Asks(prefix + "sha256"),
		content: call.Asks(prefix + "content"),
		base64:  call.Asks(prefix + "contentBase64"),
	}
}

func (a asked) text() bool { return a.content || a.base64 }

func (a asked) any() bool { return a.sha256 || a.text() }

// addContent reads as much of a file as is asked for, in constant memory unless
// the content itself is. Limit is the most bytes of content.
func addContent(result map[string]any, src io.Reader, limit int64, ask asked) error {
	hash := sha256.New()
	if !ask.text() {
		if ask.sha256 {
			if _, err := io.Copy(hash, src); err != nil {
				return err
			}
			result["sha256"] = hex.EncodeToString(hash.Sum(nil))
		}
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(src, limit+1))
	if err != nil {
		return err
	}
	if int64(len(content)) > limit {
		return fmt.Errorf("it has more than the %d bytes of content that maxBytes allows; raise maxBytes, or do without content and contentBase64", limit)
	}
	result["size"] = int64(len(content))
	switch {
	case ask.content && utf8.Valid(content):
		result["content"] = string(content)
	case ask.content && !ask.base64:
		return errors.New("its content is not UTF-8 text; use contentBase64 instead of content")
	}
	if ask.base64 {
		result["contentBase64"] = base64.StdEncoding.EncodeToString(content)
	}
	if ask.sha256 {
		hash.Write(content)
		result["sha256"] = hex.EncodeToString(hash.Sum(nil))
	}
	return nil
}
