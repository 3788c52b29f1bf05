package sql

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sql/statement"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// targets are the arguments of which one says where the database is.
var targets = []string{"url", "host", "socket", "file"}

// checkDefaults checks the block of defaults.
func checkDefaults(s actions.Static) []actions.Fault {
	var out []actions.Fault
	c := checker{Static: s, report: func(f actions.Fault) { out = append(out, f) }}
	if !s.Given("driver") {
		c.fail("driver", "", "sql without a driver", "Add `driver: \"postgres\"`, \"mysql\" or \"sqlite\".")
		return out
	}
	c.checkTarget(false)
	return out
}

// check returns the mistakes in a call that the types of its arguments do not show.
func check(s actions.Static, query bool) []actions.Fault {
	var out []actions.Fault
	c := checker{Static: s, report: func(f actions.Fault) { out = append(out, f) }}
	driver, known := s.Literals["driver"].(string)
	switch {
	case !s.Given("driver"), s.Sources["driver"] == actions.Own:
		c.fail("driver", "", "the driver must be in the block of defaults",
			"All statements of a spec are for one kind of database. Add a block at the top of the spec: `sql: {driver: \"postgres\", …}`.")
		return out
	case !known:
		return out
	}
	c.dialect = statement.Dialect(driver)
	c.checkTarget(true)
	c.checkNames()
	c.checkStatements(query)
	if text, ok := s.Literals["timeout"].(string); ok {
		if _, err := actions.ParseDuration(text); err != nil {
			c.fail("timeout", "", "timeout: "+err.Error(), "Write a duration like 10s or 1m30s.")
		}
	}
	return out
}

// checker checks one call.
type checker struct {
	actions.Static
	dialect statement.Dialect
	report  func(actions.Fault)
}

func (c *checker) fail(argument, path, summary, remedy string) {
	c.report(actions.Fault{Argument: argument, Path: path, Summary: summary, Remedy: remedy})
}

// checkTarget checks where the database is. A block of defaults may leave that to the steps.
func (c *checker) checkTarget(required bool) {
	dialect, _ := c.Literals["driver"].(string)
	var given []string
	for _, name := range targets {
		if c.Given(name) {
			given = append(given, name)
		}
	}
	local := statement.Dialect(dialect) == statement.SQLite
	switch {
	case len(given) == 0 && required:
		c.fail("driver", "", "the database has no address", "Add `url`, `host` or `socket`, or `file` for SQLite, to the block `sql` at the top of the spec.")
	case len(given) > 1:
		c.fail(given[1], "", fmt.Sprintf("both %s say where the database is", diag.And(given)), "Keep one of them.")
	case len(given) == 1 && local != (given[0] == "file"):
		c.fail(given[0], "", fmt.Sprintf("%s is not for the driver %s", given[0], dialect), "SQLite has `file`; the other databases have `url`, `host` or `socket`.")
	}
	if text, literal := c.Literals["url"].(string); literal {
		if _, err := ParseURL(statement.Dialect(dialect), text); err != nil {
			c.fail("url", "", err.Error(), fmt.Sprintf("Write `%s://HOST:PORT/DATABASE`, and `user` and `password` beside it.", dialect))
		}
	}
	if t, ok := c.Literals["tls"].(map[string]any); ok && t["insecure"] == true {
		c.report(actions.Fault{
			Argument: "tls", Path: "insecure", Summary: "insecure disables the verification of the server", Warning: true,
			Remedy: "Anyone on the network path can read and change everything. Use `ca` to trust a private CA instead.",
		})
	}
}

// placeholders are the arguments that say what placeholders stand for.
var placeholders = []string{"params", "ident", "literals", "words", "hashed"}

// checkNames checks that the names of placeholders are literal, and that each has one meaning.
func (c *checker) checkNames() {
	owner := map[string]string{}
	for _, argument := range placeholders {
		n := c.Nodes[argument]
		if n == nil {
			continue
		}
		if n.Kind != spec.MapNode {
			c.fail(argument, "", "the names of placeholders must be literal", fmt.Sprintf("Write them out: `%s: {name: \"${…}\"}`. Only values may be templates.", argument))
			continue
		}
		for _, f := range n.Fields {
			if first := owner[f.Name]; first != "" {
				c.fail(argument, f.Name, fmt.Sprintf("the placeholder {%s} is in %s and in %s", f.Name, first, argument), "A placeholder has one meaning: rename one of them.")
			}
			owner[f.Name] = argument
		}
	}
	if c.Given("hashed") && c.dialect == statement.SQLite {
		c.fail("hashed", "", "SQLite has no users", "Pass the password in `params`.")
	}
	for _, f := range fieldsOf(c.Nodes["words"]) {
		c.checkWords(f)
	}
}

// checkWords checks that the words that are allowed are literal.
func (c *checker) checkWords(f spec.Field) {
	of := f.Value.Get("of")
	if of == nil || of.Kind != spec.ListNode {
		return // the type of the argument, or a template
	}
	for _, item := range of.Items {
		if template.IsTemplate(item.Text) {
			c.fail("words", f.Name+".of", "the words that are allowed must be literal", "Write them out: an input that names them could be any statement.")
			return
		}
	}
	c.checkChosen(f.Name, of)
}

// checkChosen reports a value that is known to be none of the words: a constant, or one of a few texts.
func (c *checker) checkChosen(name string, of *spec.Node) {
	if c.Types["words"] == nil {
		return // it is wrong in another way
	}
	allowed := lists.Map(of.Items, func(item *spec.Node) string { return item.Text })
	words := types.Resolve(c.Types["words"], c.Named).Field(name)
	if words == nil {
		return
	}
	is := types.Resolve(words.Type, c.Named).Field("is")
	if is == nil {
		return
	}
	var never []string
	for _, word := range wordsOf(types.Resolve(is.Type, c.Named)) {
		if slices.Contains(allowed, word) {
			return
		}
		never = append(never, fmt.Sprintf("%q", word))
	}
	if len(never) > 0 {
		choice := ""
		if len(allowed) > 1 {
			choice = fmt.Sprintf(", or choose one by a condition: \"${x ? '%s' : '%s'}\"", allowed[0], allowed[1])
		}
		c.fail("words", name+".is", fmt.Sprintf("%s is none of the words that are allowed", diag.Or(never)), fmt.Sprintf("Write one of them%s.", choice))
	}
}

// wordsOf returns the texts that are all that a value of a type may be, or nil.
func wordsOf(t *spec.Type) (words []string) {
	if t.Kind != spec.String || types.IsTime(t) {
		return nil
	}
	for _, v := range t.Enum {
		if word, ok := v.(string); ok {
			words = append(words, word)
		}
	}
	return words
}

// checkStatements checks the statements, and that they have the placeholders that the
// arguments name.
func (c *checker) checkStatements(query bool) {
	used, texts := map[string]bool{}, c.texts()
	if texts == nil && (c.Nodes["statement"] != nil || c.Nodes["statements"] != nil) {
		return // it has templates, which was reported
	}
	for _, t := range texts {
		s, err := statement.Parse(c.dialect, t.text)
		if err != nil {
			c.fail(t.argument, t.path, err.Error(), "See docs/apis/sql.md.")
			return
		}
		for _, name := range s.Names() {
			used[name] = true
			if c.argumentOf(name) == "" {
				c.fail(t.argument, t.path, fmt.Sprintf("the placeholder {%s} has no value", name),
					strings.TrimSpace("Add it to `params`, or to `ident` if it is the name of a table, role or database. "+diag.Remedy(name, c.names())))
			}
		}
		for _, name := range s.Quoted {
			if c.argumentOf(name) != "" {
				used[name] = true
				c.fail(t.argument, t.path, fmt.Sprintf("{%s} is within quotes, where it is ordinary text", name), "Remove the quotes: the placeholder is quoted when it is filled in.")
			}
		}
		c.checkUse(t, s, query)
	}
	c.checkUsed(used, texts)
}

// checkUsed checks that the placeholders that the arguments name are in a statement.
func (c *checker) checkUsed(used map[string]bool, texts []text) {
	for _, argument := range placeholders {
		for _, f := range fieldsOf(c.Nodes[argument]) {
			if !used[f.Name] && !c.reportForeignPlaceholder(texts, f.Name) {
				c.fail(argument, f.Name, fmt.Sprintf("no statement contains {%s}", f.Name), "Write the placeholder in the statement, or remove the value.")
			}
		}
	}
}

// reportForeignPlaceholder reports a placeholder of another tool with a name: :name, @name, $name or
// %(name)s. A cast of PostgreSQL has two colons.
func (c *checker) reportForeignPlaceholder(texts []text, name string) bool {
	pattern := regexp.MustCompile(`(?:^|[^:@$\w])([:@$]` + regexp.QuoteMeta(name) + `)\b|(%\(` + regexp.QuoteMeta(name) + `\)s)`)
	for _, t := range texts {
		m := pattern.FindStringSubmatch(t.text)
		if m == nil {
			continue
		}
		c.report(actions.Fault{
			Argument: t.argument, Path: t.path, Summary: fmt.Sprintf("%s is not a placeholder", m[1]+m[2]),
			Remedy: fmt.Sprintf("Write {%s}.", name), Old: m[1] + m[2], New: "{" + name + "}",
		})
		return true
	}
	return false
}

// checkUse checks that a statement does what its kind of action is for.
func (c *checker) checkUse(t text, s *statement.Statement, query bool) {
	switch {
	case s.ControlsTransaction():
		c.fail(t.argument, t.path, fmt.Sprintf("`%s` controls the transaction, which the step does", s.Verb()), "Remove it, and write the statements of a transaction as `statements: […]`.")
	case query && !s.Reads():
		c.fail(t.argument, t.path, fmt.Sprintf("a query with `%s`, which changes something", s.Verb()), "Use `sql: exec`, which also returns rows (`returning`).")
	case !query && s.Reads() && s.Verb() == "select" && c.Given("statement"):
		c.report(actions.Fault{
			Argument: t.argument, Path: t.path, Warning: true, Summary: "a `select` counts as a change",
			Remedy: "Use `sql: query` if it changes nothing: it then runs in previews, and again after a failure. Keep `exec` if it calls a function with an effect.",
		})
	}
}

// text is a literal statement and its place.
type text struct{ argument, path, text string }

func (c *checker) texts() []text {
	if one, ok := c.Literals["statement"].(string); ok {
		return []text{{"statement", "", one}}
	}
	list, _ := c.Literals["statements"].([]any)
	var out []text
	for i, item := range list {
		if one, ok := item.(string); ok {
			out = append(out, text{"statements", fmt.Sprint(i), one})
		}
	}
	return out
}

// argumentOf returns the argument that has the placeholder, or "".
func (c *checker) argumentOf(name string) string {
	for _, argument := range placeholders {
		n := c.Nodes[argument]
		if n != nil && n.Kind != spec.MapNode || n.Get(name) != nil {
			return argument
		}
	}
	return ""
}

func (c *checker) names() []string {
	var names []string
	for _, argument := range placeholders {
		for _, f := range fieldsOf(c.Nodes[argument]) {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func fieldsOf(n *spec.Node) []spec.Field {
	if n == nil || n.Kind != spec.MapNode {
		return nil
	}
	return n.Fields
}

// ParseURL parses the address of a server: postgres://HOST:PORT/DATABASE.
func ParseURL(d statement.Dialect, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("invalid url") // the text of err contains the URL, and so perhaps a password
	case u.Scheme != string(d):
		return nil, fmt.Errorf("expected a url with the scheme %s, got %q", d, u.Scheme)
	case u.User != nil:
		return nil, fmt.Errorf("a url must not contain a user or password")
	case u.Hostname() == "":
		return nil, fmt.Errorf("the url has no host")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("a url must not contain parameters")
	}
	return u, nil
}
