package load

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// namespace matches the namespaces that Pulumi accepts.
var namespace = regexp.MustCompile(`^[a-z][-a-z0-9]*$`)

// semver matches a semantic version (semver.org) without a leading v.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

// readMetadata reads the description of the provider.
func (l *loader) readMetadata(b *section, p *spec.Provider) {
	l.readProviderName(b, p)
	l.readVersion(b, p)
	p.Description = l.Syntax.PackageDoc(l.Raw)
	l.fill(b, p)
	l.checkPublication(b, p)
	if m, ok := b.get("language"); ok {
		p.Language = l.readLanguage(m, b.at("language"))
	}
}

// checkPublication checks the namespace and the download URL of the provider.
func (l *loader) checkPublication(b *section, p *spec.Provider) {
	if m, ok := b.get("namespace"); ok && p.Namespace != "" && !namespace.MatchString(p.Namespace) {
		l.Report(names.CodeName, m.At, b.at("namespace"), fmt.Sprintf("%q is not a valid namespace", p.Namespace),
			"Use lower-case letters, digits and hyphens, and begin with a letter.")
	}
	m, ok := b.get("pluginDownloadURL")
	if !ok || l.Kind(m) != cue.StringKind {
		return
	}
	if problem, remedy := spec.CheckDownloadURL(p.PluginDownloadURL); problem != "" {
		l.Report(source.CodeBadValue, m.At, b.at("pluginDownloadURL"), problem, remedy)
		return
	}
	if u, err := url.Parse(p.PluginDownloadURL); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		l.Warn(source.CodeInsecureDownload, m.At, b.at("pluginDownloadURL"), "the plugin is downloaded over an unencrypted connection",
			"Who controls the network can replace the plugin by any program, which Pulumi then runs. Use https://.")
	}
}

// isLoopback reports whether a host of a URL is this machine.
func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// readLanguage reads the options of the SDK generators, a struct for each.
func (l *loader) readLanguage(it walk.Item, p source.Place) map[string]any {
	if !l.expect(it, p, cue.StructKind, walk.Struct.As("a struct of options by language")) {
		return nil
	}
	settings := map[string]any{}
	for _, m := range l.Values(it) {
		n := l.readNode(m, p.Member(m.Name))
		switch n.Kind {
		case 0:
		case spec.MapNode:
			settings[m.Name] = n.Plain()
		default:
			l.Report(names.CodeLanguage, m.At, p.Member(m.Name), fmt.Sprintf("the options for %s must be a struct", m.Name),
				"Write the options of an SDK generator by name: language: nodejs: packageName: \"@me/x\".")
		}
	}
	return settings
}

func (l *loader) readProviderName(b *section, p *spec.Provider) {
	m, ok := b.get("name")
	if !ok {
		if !b.has("name") {
			l.Report(source.CodeMissingKey, b.item.At, b.place, "the spec requires a name", `Add the name of the provider: name: "petstore".`)
		}
		p.Range = b.item.At
		return
	}
	p.Range = m.At
	name, ok := l.readString(m, b.at("name"))
	if !ok {
		return
	}
	p.Name = name
	fault := names.CheckProvider(name)
	switch {
	case fault == nil:
	case fault.Code != names.CodeOfficial:
		d := l.Report(fault.Code, m.At, b.at("name"), fault.Summary, fault.Detail)
		if fault.Meant != "" {
			d.Replace(name, fault.Meant)
		}
	case !b.has("pluginDownloadURL"):
		l.Warn(fault.Code, m.At, b.at("name"), fault.Summary,
			fault.Detail+" Choose another name, or set pluginDownloadURL to where your provider is downloaded from.")
	}
}

func (l *loader) readVersion(b *section, p *spec.Provider) {
	m, ok := b.get("version")
	if !ok {
		if !b.has("version") {
			l.Report(source.CodeMissingKey, b.item.At, b.place, "the spec requires a version", `Add a version: version: "0.1.0".`)
		}
		return
	}
	n := l.readNode(m, b.at("version"))
	switch {
	case n.Kind == spec.NumberNode:
		l.Report(source.CodeBadVersion, m.At, b.at("version"), "the version must be a string, got a number",
			fmt.Sprintf("Quote it, and write all three parts: version: \"%s.0\".", n.Text)).
			Suggest(diag.Edit{At: m.At, Text: fmt.Sprintf("\"%s.0\"", n.Text)})
		return
	case n.Kind == 0:
		return
	case n.Kind != spec.StringNode:
		l.WrongShape(m, b.at("version"), walk.Text)
		return
	}
	p.Version = n.Text
	if !semver.MatchString(n.Text) {
		detail := "Write MAJOR.MINOR.PATCH, such as 1.2.0 or 1.2.0-beta.1."
		if trimmed, ok := strings.CutPrefix(n.Text, "v"); ok && semver.MatchString(trimmed) {
			detail = fmt.Sprintf("Remove the v: %q.", trimmed)
		}
		d := l.Report(source.CodeBadVersion, m.At, b.at("version"), fmt.Sprintf("%q is not a semantic version", n.Text), detail)
		for _, meant := range []string{strings.TrimPrefix(n.Text, "v"), n.Text + ".0", n.Text + ".0.0"} {
			if semver.MatchString(meant) {
				d.Replace(n.Text, meant)
				break
			}
		}
	}
}
