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

// fileType returns the type of a result that describes a file.
func fileType() *spec.Type {
	return declare.Object(
		declare.Member("path", declare.Text(), "The path, as given."),
		declare.Member("size", declare.Int(), "Size in bytes."),
		declare.Member("sha256", declare.Text(), "SHA-256 of the content, in hex. Only computed if the spec refers to it."),
		declare.Member("mode", declare.Text(), "Permission bits, in octal: `0644`."),
		declare.Member("modified", declare.Text(), "When the content last changed: RFC 3339, in UTC."),
		declare.Member("content", declare.Text(), "The content, only read if the spec refers to it. Content that is not UTF-8 is an error; if the spec also refers to contentBase64, it is null instead."),
		declare.Member("contentBase64", declare.Text(), "The content in base64. Only read if the spec refers to it."),
	)
}

// attributes returns the members that are known without reading the file.
func attributes(path string, info fs.FileInfo) map[string]any {
	return map[string]any{
		"path":     path,
		"size":     info.Size(),
		"mode":     modeText(info.Mode()),
		"modified": info.ModTime().UTC().Format(time.RFC3339Nano),
	}
}

// wantedMembers says which members that require reading the file the spec refers to.
type wantedMembers struct{ sha256, content, base64 bool }

func wantedBy(call *actions.Call, prefix string) wantedMembers {
	return wantedMembers{
		sha256:  call.Asks(prefix + "sha256"),
		content: call.Asks(prefix + "content"),
		base64:  call.Asks(prefix + "contentBase64"),
	}
}

func (a wantedMembers) text() bool { return a.content || a.base64 }

func (a wantedMembers) any() bool { return a.sha256 || a.text() }

// addContent adds the wanted members. It uses constant memory unless the content itself is
// wanted. limit is the maximum size of the content.
func addContent(result map[string]any, src io.Reader, limit int64, wanted wantedMembers) error {
	hash := sha256.New()
	if !wanted.text() {
		if wanted.sha256 {
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
		return fmt.Errorf("the content has more than the %d bytes that maxBytes allows; raise maxBytes, or do not refer to content and contentBase64", limit)
	}
	result["size"] = int64(len(content))
	switch {
	case wanted.content && utf8.Valid(content):
		result["content"] = string(content)
	case wanted.content && !wanted.base64:
		return errors.New("the content is not valid UTF-8; in the spec, refer to contentBase64 instead of content")
	}
	if wanted.base64 {
		result["contentBase64"] = base64.StdEncoding.EncodeToString(content)
	}
	if wanted.sha256 {
		hash.Write(content)
		result["sha256"] = hex.EncodeToString(hash.Sum(nil))
	}
	return nil
}
