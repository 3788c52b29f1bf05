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
		Summary: "Writes a file atomically.",
		Doc: `The content is written to a temporary file in the same folder, synced to the disk, and renamed. So readers see
either the old file or the new one, also after a crash. Temporary files of a killed process are removed by the next
change in the folder.

An existing file is an error unless ` + "`overwrite`" + ` is true. If the path is a symbolic link, ` + "`overwrite`" + ` replaces the target of the link, if the permissions
grant it. Other hard links of a replaced file keep the old content. A replaced file keeps its owner and group, if the user that runs the provider has the
right to set them.

If the provider is killed after it has made a file, and before the state contains the resource, the next run of the same create may replace the file, unless somebody has
changed it. To recognize the file, the provider marks it with an extended attribute, if the file system supports them.

The user chooses the file of ` + "`source`" + `, so it may be anywhere, and requires no permission.`,
		Args: []actions.Arg{
			pathArg("File to write."),
			declare.Arg("content", declare.Text(), "The content as text (UTF-8)."),
			declare.Arg("contentBase64", declare.Text(), "The content in standard base64."),
			declare.Arg("source", declare.Asset(), "The content as an asset that the user passes. It is streamed."),
			modeArg("Permission bits in octal, independent of the umask. Default: those of the replaced file; for a new file 0666 less the umask, or 0600 if its content is secret."),
			parentsArg(),
			overwriteArg("Replace an existing file."),
			declare.MaxBytes("Maximum size of `content` or `contentBase64` in the result. Writing has no limit."),
			rootArg(),
		},
		OneOf: [][]string{{"content", "contentBase64", "source"}},
		Analyze: func(s actions.Static) actions.Facts {
			f := createFacts(s, fileType())
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
	{Summary: "Write a text file, and make its folder", Spec: `file: write: {path: "etc/motd", content: "Welcome.\n", mode: "0644"}`},
	{Summary: "Write binary data", Spec: `file: write: {path: "signature.png", contentBase64: "iVBORw0KGgo="}`},
	{
		Summary: "Write a file that may already exist", Spec: `file: write: {path: "etc/motd", content: "Welcome back.\n", overwrite: true}`,
		Files: map[string]string{"etc/motd": "Welcome.\n"},
	},
}

func runWrite(ctx context.Context, call *actions.Call) actions.Outcome {
	args := defaultWriteSettings()
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	src, err := args.open(ctx, call)
	if err != nil {
		return actions.Refuse(err)
	}
	defer src.Close()
	opts := args.options(call)
	opts.Private = call.HidesAny(contentArguments...)
	return args.writeFrom(ctx, call, src, opts)
}

// writeSettings are the arguments of a file that is written: its path, mode and content. For
// copy, the content comes from another file.
type writeSettings struct {
	location
	source
	Mode      declare.FileMode `arg:"mode"`
	Parents   bool             `arg:"parents"`
	Overwrite bool             `arg:"overwrite"`
	MaxBytes  declare.Bytes    `arg:"maxBytes"`
}

// defaultWriteSettings returns the default arguments.
func defaultWriteSettings() writeSettings { return writeSettings{Parents: true} }

func (w *writeSettings) options(call *actions.Call) files.WriteOptions {
	return files.WriteOptions{Mode: w.Mode.Bits, Parents: w.Parents, Overwrite: w.Overwrite, Mark: call.Mark}
}

// contentArguments are the arguments that may be the content of files.
var contentArguments = []string{"content", "contentBase64", "source", "archive"}

// checkWrite returns a fault if secret content is written to a file that others can read.
func checkWrite(s actions.Static) []actions.Fault {
	text, _ := s.Literals["mode"].(string)
	if !declare.OthersRead(text) || !slices.ContainsFunc(contentArguments, func(name string) bool { return s.Secret[name] }) {
		return nil
	}
	return []actions.Fault{declare.SecretForOthers("mode", "", text)}
}

// writeFrom writes the content of src to the path of the call, and returns the result.
func (w *writeSettings) writeFrom(ctx context.Context, call *actions.Call, src io.Reader, opts files.WriteOptions) actions.Outcome {
	wanted, hash := wantedBy(call, ""), sha256.New()
	if wanted.sha256 {
		src = io.TeeReader(src, hash)
	}
	at := w.fullPath()
	info, err := call.Env.Files.Write(ctx, at, src, opts)
	if err != nil {
		return changeFailure(err)
	}
	if call.HidesAny(contentArguments...) {
		declare.WarnOthersRead(call, at, info.Mode())
	}
	result := attributes(w.Path, info)
	if wanted.sha256 {
		result["sha256"] = hex.EncodeToString(hash.Sum(nil))
		wanted.sha256 = false
	}
	if w.Content != nil && wanted.content {
		result["content"] = *w.Content
		wanted.content = false
	}
	if !wanted.any() {
		return actions.Succeed(result)
	}
	if err := addReadContent(ctx, result, call.Env.Files, at, int64(w.MaxBytes), wanted); err != nil {
		return actions.Fail(err)
	}
	return actions.Succeed(result)
}
