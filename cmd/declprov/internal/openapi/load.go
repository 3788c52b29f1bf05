// Package openapi writes specs for APIs that OpenAPI documents describe: each object that one can create and read becomes a resource.
// It reads versions 2.0 to 3.1 of the format (https://spec.openapis.org).
//
// It reads the documents itself. The libraries that do so take longer to start than the rest of declprov (schemas of the format, which they
// compile), and refuse documents for details that do not matter here, such as those of PowerDNS; many published documents have some.
package openapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	// standardInput is the location of the standard input, as in other programs.
	standardInput = "-"
	// maxBytes limits a document with its files. The largest public ones have about 15 MB.
	maxBytes = 64 << 20
	// maxWait limits a download.
	maxWait = time.Minute
)

// Document is an OpenAPI document.
type Document struct {
	root, paths part
	// rule is the naming rule that most members follow, or "".
	rule string
	// folder is the folder that references may lead to, or "".
	folder string
	files  map[string]*file
	bytes  int
	// at is the URL of the document, or nil.
	at *url.URL
	// invalid are the references that lead nowhere.
	invalid []LeftOut
	// views are the views of schemas.
	views map[viewKey]view
	// forms are the schemas of forms that consist of parameters.
	forms map[*yaml.Node]part
}

// Load reads a document from a file, a URL, or the standard input for the location "-". References may lead to other files of the document's
// folder, but not to a network: the document may have been written by somebody else. It returns an error if the document cannot be read, is
// none, or refers to something else.
func Load(ctx context.Context, location string) (*Document, error) {
	doc := &Document{files: map[string]*file{}, views: map[viewKey]view{}, forms: map[*yaml.Node]part{}}
	text, err := doc.read(ctx, location)
	if err != nil {
		return nil, err
	}
	f, err := doc.add("", text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a valid OpenAPI document: %w", location, err)
	}
	if doc.at == nil && location != standardInput {
		if f.path, err = filepath.Abs(location); err != nil {
			return nil, err
		}
		doc.folder = filepath.Dir(f.path)
		doc.files[f.path] = f
	}
	doc.root = part{node: f.root, file: f}
	doc.paths = pathsOf(doc.root)
	if err := doc.check(); err != nil {
		return nil, fmt.Errorf("%s is not a valid OpenAPI document: %w", location, err)
	}
	doc.rule = ruleOf(doc)
	return doc, nil
}

// read returns the text of a document, whose size it counts.
func (d *Document) read(ctx context.Context, location string) ([]byte, error) {
	if location == standardInput {
		return d.limited(os.Stdin)
	}
	at, err := url.Parse(location)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" {
		return d.readFile(location)
	}
	d.at = at
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, location, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s. If the document requires a login, save it, and name the file", at.Redacted(), resp.Status)
	}
	return d.limited(resp.Body)
}

func (d *Document) readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return d.limited(f)
}

func (d *Document) limited(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(maxBytes-d.bytes)+1))
	d.bytes += len(text)
	if err == nil && d.bytes > maxBytes {
		err = fmt.Errorf("the document has more than %d MB", maxBytes>>20)
	}
	return text, err
}

// add parses a file.
func (d *Document) add(path string, text []byte) (*file, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	f := &file{doc: d, path: path, root: root, found: map[string]part{}}
	if path != "" {
		d.files[path] = f
	}
	return f, nil
}

// open returns the file that a reference in another file names.
func (d *Document) open(from *file, location string) (*file, error) {
	if d.folder == "" || strings.Contains(location, ":") {
		return nil, fmt.Errorf("it refers to %s: bundle the document into one file", location)
	}
	path := filepath.FromSlash(location)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from.path), path)
	}
	path = filepath.Clean(path)
	if f := d.files[path]; f != nil {
		return f, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.EvalSymlinks(d.folder)
	if err != nil {
		return nil, err
	}
	if rel, err := filepath.Rel(folder, target); err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("it refers to %s, which is not in its folder", location)
	}
	text, err := d.readFile(target)
	if err != nil {
		return nil, err
	}
	return d.add(path, text)
}

// check returns an error if the document is none. It also adds the parameters of a path to its operations, and lists references that lead
// nowhere.
func (d *Document) check() error {
	version, old := d.root.get("openapi").text(), d.root.get("swagger").text()
	switch {
	case !strings.HasPrefix(version, "3.") && old != "2.0":
		return errors.New(`expected the member "openapi" with a version that begins with 3, or the member "swagger" with 2.0`)
	case len(d.paths.keys()) == 0:
		return errors.New("it has no paths")
	}
	if err := d.checkReferences(); err != nil {
		return err
	}
	d.paths.each(func(_ string, item part) {
		shared := item.get("parameters").resolved()
		for _, o := range operationsOf(item) {
			if o := o.resolved(); shared.node != nil && shared.node.Kind == yaml.SequenceNode && o.node.Kind == yaml.MappingNode {
				own := nodeAt(o.node, "parameters")
				if own == nil || own.Kind != yaml.SequenceNode {
					own = &yaml.Node{Kind: yaml.SequenceNode}
					o.node.Content = append(o.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "parameters"}, own)
				}
				own.Content = append(own.Content, shared.node.Content...)
			}
		}
	})
	return nil
}

// checkReferences follows every reference once.
func (d *Document) checkReferences() error {
	var walk func(f *file, n *yaml.Node) error
	checked := map[string]bool{}
	walk = func(f *file, n *yaml.Node) error {
		if ref := nodeAt(n, "$ref"); ref != nil && ref.Kind == yaml.ScalarNode && !checked[f.path+"|"+ref.Value] {
			checked[f.path+"|"+ref.Value] = true
			to, err := f.find(ref.Value)
			switch {
			case errors.Is(err, errNothing):
				d.invalid = append(d.invalid, LeftOut{fmt.Sprintf("%s (line %d)", ref.Value, ref.Line), "the document refers to it, and does not contain it"})
			case err != nil:
				return fmt.Errorf("line %d: %w", ref.Line, err)
			case to.file != f && !checked[to.file.path]:
				checked[to.file.path] = true
				return walk(to.file, to.file.root)
			}
		}
		for _, child := range n.Content {
			if err := walk(f, child); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(d.root.file, d.root.node)
}

// methods are the operations that a path may have.
var methods = []string{"get", "put", "post", "patch", "delete"}

// operationsOf returns the operations of a path.
func operationsOf(item part) []part {
	var out []part
	for _, m := range methods {
		if o := item.get(m); o.exists() {
			out = append(out, o)
		}
	}
	return out
}

// parametersOf returns the parameters of an operation.
func parametersOf(o part) []part { return o.get("parameters").list() }

// server returns the URL of the API without a slash at its end, or its path if the document does not say where it is.
func (d *Document) server() string {
	address := ""
	if servers := d.root.get("servers").list(); len(servers) > 0 {
		address = servers[0].get("url").text()
		servers[0].get("variables").each(func(name string, v part) {
			address = strings.ReplaceAll(address, "{"+name+"}", v.get("default").text())
		})
	}
	if host := d.root.get("host").text(); host != "" { // version 2.0
		scheme := "https"
		if schemes := d.root.get("schemes").texts(); len(schemes) > 0 && !slices.Contains(schemes, scheme) {
			scheme = schemes[0]
		}
		address = scheme + "://" + host
	}
	address += d.root.get("basePath").text()
	if strings.ContainsAny(address, "{}$") {
		address = ""
	}
	if d.at != nil {
		if to, err := d.at.Parse(address); err == nil {
			if address == "" {
				to.Path, to.RawQuery = "/", ""
			}
			address = to.String()
		}
	}
	return strings.TrimSuffix(address, "/")
}
