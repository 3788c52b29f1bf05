package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/sys/files"
)

func writeKind() *actions.Kind {
	return &actions.Kind{
		Name:    "write",
		Summary: "Writes a file, whole or not at all.",
		Doc: `The content goes to a temporary sibling, to the disk, and then takes the file's name: who reads sees
the old file or the new one, and so does who comes after a crash. What a killed process leaves is removed by the next
change in the folder.

A file that exists is an error unless ` + "`overwrite`" + ` says otherwise. Then a symbolic link is followed, if its target is
permitted, and the target is replaced; other hard links of a replaced file keep the old content. A replaced file keeps
its owner and group, as far as the provider's user may give files away.

A create that was killed may have made its file, and nobody knows. The file then carries a mark in an extended
attribute, where the file system has them, and the next run of the same create takes it for its own as long as nobody
has touched it.

A ` + "`source`" + ` is what the user of the provider hands over, so it is read wherever it lies, without a permission of the spec's.`,
		Args: []actions.Arg{
			pathArg("File to write."),
			declare.Arg("content", declare.Text(), "The content, as text (UTF-8)."),
			declare.Arg("contentBase64", declare.Text(), "The content, whatever it is, in standard base64."),
			declare.Arg("source", declare.Asset(), "The content, as an asset that the user hands over; a large file is streamed."),
			mode("Permission bits in octal, exact whatever the umask. Without it a replaced file's are kept, and a new file has 0666 less the umask; 0600 where its content is secret."),
			parents(),
			overwrite("Replace a file that exists."),
			declare.MaxBytes("Most bytes of `content` or `contentBase64` in the result. Writing has no limit."),
			root(),
		},
		OneOf: [][]string{{"content", "contentBase64", "source"}},
		Analyze: func(s actions.Static) actions.Facts {
			f := changes(s, fileType())
			f.Faults = checkWrite(s)
			return f
		},
		Marked:   true,
		Echoes:   []string{"sha256", "content", "contentBase64"},
		Examples: writeExamples,
		Run:      runWrite,
	}
}

var writeExamples = []actions.Example{
	{Summary: "A text file, in a folder that is made", Spec: `file: write: {path: "etc/motd", content: "Welcome.\n", mode: "0644"}`},
	{Summary: "Bytes that are no text", Spec: `file: write: {path: "signature.png", contentBase64: "iVBORw0KGgo="}`},
	{
		Summary: "A file that may exist", Spec: `file: write: {path: "etc/motd", content: "Welcome back.\n", overwrite: true}`,
		Files: map[string]string{"etc/motd": "Welcome.\n"},
	},
}

func runWrite(ctx context.Context, call *actions.Call) actions.Outcome {
	args := written()
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	src, err := args.open(ctx, call)
	if err != nil {
		return actions.Refuse(err)
	}
	defer src.Close()
	opts := args.options(call)
	opts.Private = call.HidesAny(contents...)
	return args.writeFrom(ctx, call, src, opts)
}

// writing is what the arguments of a file that is written say: where it goes and how, and
// its content. A copy has another's content.
type writing struct {
	location
	source
	Mode      declare.FileMode `arg:"mode"`
	Parents   bool             `arg:"parents"`
	Overwrite bool             `arg:"overwrite"`
	MaxBytes  declare.Bytes    `arg:"maxBytes"`
}

// written returns what is so without arguments.
func written() writing { return writing{Parents: true} }

func (w *writing) options(call *actions.Call) files.WriteOptions {
	return files.WriteOptions{Mode: w.Mode.Bits, Parents: w.Parents, Overwrite: w.Overwrite, Mark: call.Mark}
}

// contents are the arguments that may be the content of files.
var contents = []string{"content", "contentBase64", "source", "archive"}

// checkWrite finds secret content in a file that others can read.
func checkWrite(s actions.Static) []actions.Fault {
	text, _ := s.Literals["mode"].(string)
	if !declare.OthersRead(text) || !slices.ContainsFunc(contents, func(name string) bool { return s.Secret[name] }) {
		return nil
	}
	return []actions.Fault{declare.SecretForOthers("mode", "", text)}
}

// writeFrom writes what src yields to the call's path, and describes the file.
func (w *writing) writeFrom(ctx context.Context, call *actions.Call, src io.Reader, opts files.WriteOptions) actions.Outcome {
	ask, hash := askedOf(call, ""), sha256.New()
	if ask.sha256 {
		src = io.TeeReader(src, hash)
	}
	at := w.place()
	info, err := call.Env.Files.Write(ctx, at, src, opts)
	if err != nil {
		return changing(err)
	}
	if call.HidesAny(contents...) {
		declare.WarnOthersRead(call, at, info.Mode())
	}
	result := attributes(w.Path, info)
	if ask.sha256 {
		result["sha256"] = hex.EncodeToString(hash.Sum(nil))
		ask.sha256 = false
	}
	if w.Content != nil && ask.content {
		result["content"] = *w.Content
		ask.content = false
	}
	if !ask.any() {
		return actions.Succeed(result)
	}
	if err := readInto(ctx, result, call.Env.Files, at, int64(w.MaxBytes), ask); err != nil {
		return actions.Fail(err)
	}
	return actions.Succeed(result)
}
