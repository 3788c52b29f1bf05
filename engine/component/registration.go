package component

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// registration returns the desired state of a child, or of an element of its forEach.
func (b *build) registration(ch *plan.Child, el *scope.Element) (Registration, error) {
	name, err := b.name(ch, el)
	if err != nil {
		return Registration{}, err
	}
	r := Registration{Type: ch.Type, Foreign: ch.Foreign, Component: ch.Component, Name: name, Parent: b.urn}
	if r.Inputs, err = b.childInputs(ch, el); err != nil {
		return Registration{}, err
	}
	if err := b.options(&r, ch, el); err != nil {
		return Registration{}, fmt.Errorf("options: %w", err)
	}
	return r, nil
}

// childInputs returns the inputs of a child with their dependencies.
func (b *build) childInputs(ch *plan.Child, el *scope.Element) (property.Map, error) {
	given := map[string]any{}
	on := map[string][]urn.URN{}
	for _, a := range ch.Inputs {
		out, err := b.eval(a.Value, el)
		if err != nil {
			return property.Map{}, fmt.Errorf("input %q: %w", a.Name, err)
		}
		given[a.Name], on[a.Name] = out, b.dependencies(a.Value, ch.ForEach)
	}
	if ch.Whole != nil {
		out, err := b.eval(ch.Whole, el)
		if err != nil {
			return property.Map{}, fmt.Errorf("inputs: %w", err)
		}
		all, err := members(out)
		if err != nil {
			return property.Map{}, err
		}
		for name, v := range all {
			given[name], on[name] = v, b.dependencies(ch.Whole, ch.ForEach)
		}
	}
	values := map[string]property.Value{}
	for name, v := range given {
		if v == nil && !ch.KeepsNull(name) {
			continue
		}
		value, err := ch.Takes.Child(name).FromPlain(v, "inputs."+name, screen.NewMask(nil))
		if err != nil {
			return property.Map{}, err
		}
		m := ch.Takes.Member(name)
		secret := value.Secret() || m != nil && m.IsSecret()
		values[name] = value.WithSecret(secret).WithDependencies(on[name])
	}
	return property.NewMap(values), nil
}

// members returns the members of an object. The members of a secret object are
// secret.
func members(v any) (map[string]any, error) {
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case nil:
		return nil, nil
	case expr.Secret:
		all, err := members(v.Value)
		hidden := make(map[string]any, len(all))
		for name, item := range all {
			hidden[name] = expr.Secret{Value: item}
		}
		return hidden, err
	case expr.Unknown:
		return nil, errors.New("inputs: their names are not known yet; write them as a struct, so that a preview can show them")
	default:
		return nil, fmt.Errorf("inputs: expected a struct, got %s", actions.KindOf(v))
	}
}

// options evaluates the options of a child. In a preview it omits options that are
// not known yet.
func (b *build) options(r *Registration, ch *plan.Child, el *scope.Element) error {
	o, out := ch.Options, &r.Options
	for _, key := range o.DependsOn {
		for _, one := range b.all(key) {
			r.DependsOn = append(r.DependsOn, one.urn)
		}
	}
	r.DependsOn = mergeSorted(r.DependsOn)
	if parent := b.only(o.Parent); parent != nil {
		r.Parent = parent.urn
	}
	if with := b.only(o.DeletedWith); with != nil {
		out.DeletedWith = with.urn
	}
	if provider := b.only(o.Provider); provider != nil {
		out.Provider = &ProviderRef{URN: provider.urn}
		if id := provider.outputs.Get("id"); id.IsString() {
			out.Provider.ID = id.AsString()
		}
	}
	read := &optionReader{build: b, el: el}
	out.Protect, out.RetainOnDelete = read.truth(o.Protect), read.truth(o.RetainOnDelete)
	out.DeleteBeforeReplace = read.truth(o.DeleteBeforeReplace)
	out.IgnoreChanges, out.ReplaceOnChanges = read.texts("ignoreChanges", o.IgnoreChanges), read.texts("replaceOnChanges", o.ReplaceOnChanges)
	out.AdditionalSecretOutputs = read.texts("additionalSecretOutputs", o.SecretOutputs)
	out.Version, out.PluginDownloadURL = read.text("version", o.Version), read.text("pluginDownloadURL", o.PluginDownloadURL)
	out.ImportID = read.text("import", o.ImportID)
	out.CreateTimeout, out.UpdateTimeout = read.duration(o.CreateTimeout), read.duration(o.UpdateTimeout)
	out.DeleteTimeout = read.duration(o.DeleteTimeout)
	for _, a := range o.Aliases {
		out.Aliases = append(out.Aliases, read.alias(a))
	}
	if read.err != nil {
		return read.err
	}
	return b.checkPlugin(ch, out)
}

// all returns the existing resources of a child.
func (b *build) all(key string) []*instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.made[key]
	if m == nil {
		return nil
	}
	var list []*instance
	for _, one := range append(m.each[:len(m.each):len(m.each)], m.one) {
		if one != nil && !one.unknown {
			list = append(list, one)
		}
	}
	return list
}

// only returns the resource of a child without forEach, or nil.
func (b *build) only(key string) *instance {
	if list := b.all(key); len(list) == 1 {
		return list[0]
	}
	return nil
}

// optionReader evaluates options, and keeps the first error.
type optionReader struct {
	build *build
	el    *scope.Element
	err   error
}

// value returns the value of a template, which may contain secrets. It returns nil if there is no
// template, or if the value is not known yet.
func (r *optionReader) value(v *expr.Value) any {
	if v == nil || r.err != nil {
		return nil
	}
	out, err := r.build.eval(v, r.el)
	if err != nil {
		r.err = err
		return nil
	}
	if expr.HasUnknown(expr.Reveal(out, nil)) {
		if !r.build.req.Preview {
			r.err = scope.ErrNotKnown
		}
		return nil
	}
	return out
}

// truth returns an option that is true or false, which shows too little of a secret to matter.
func (r *optionReader) truth(v *expr.Value) *bool {
	out, ok := expr.Reveal(r.value(v), nil).(bool)
	if !ok {
		return nil
	}
	return &out
}

// text returns an option that is text. States show options, so it is an error if it is or contains a
// secret: one that the program marked, or one that another child has returned.
func (r *optionReader) text(name string, v *expr.Value) string {
	out := r.value(v)
	if out == nil {
		return ""
	}
	text, err := value.Text(expr.Reveal(out, nil))
	ofChild := v.RefersTo("children")
	if scope.HoldsSecret(out) || ofChild && r.build.mask().Holds(text) {
		text, err = "", fmt.Errorf("%s %w", name, scope.ErrExposed)
	}
	if err != nil && r.err == nil {
		r.err = err
	}
	return text
}

func (r *optionReader) texts(name string, list []*expr.Value) []string {
	var out []string
	for _, v := range list {
		if text := r.text(name, v); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (r *optionReader) duration(v *expr.Value) time.Duration {
	text := r.text("customTimeouts", v)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if (err != nil || d < 0) && r.err == nil {
		r.err = fmt.Errorf("invalid duration %q (use 10s or 1m30s)", text)
	}
	return d
}

// alias returns an alias. A text is a URN or a former name.
func (r *optionReader) alias(a plan.ChildAlias) Alias {
	if text := r.text("aliases", a.Text); strings.HasPrefix(text, "urn:pulumi:") {
		return Alias{URN: text}
	} else if text != "" {
		return Alias{Name: text}
	}
	return Alias{
		Name: r.text("aliases", a.Name), Type: r.text("aliases", a.Type), Parent: r.text("aliases", a.Parent), Stack: r.text("aliases", a.Stack),
		Project: r.text("aliases", a.Project), NoParent: a.NoParent,
	}
}

// checkPlugin returns an error if the options of a child name a plugin that is not
// permitted. If exactly one version is permitted, it sets that version.
func (b *build) checkPlugin(ch *plan.Child, o *RegistrationOptions) error {
	if o.PluginDownloadURL != "" {
		if problem, remedy := spec.CheckDownloadURL(o.PluginDownloadURL); problem != "" {
			return fmt.Errorf("pluginDownloadURL: %s. %s", problem, remedy)
		}
		origin, err := grant.ParseOrigin(grant.PluginOrigin(o.PluginDownloadURL))
		if err != nil {
			return fmt.Errorf("pluginDownloadURL: %w", err)
		}
		network, err := b.req.Permits.Network(b.vars(nil))
		if err == nil {
			err = network.Check(origin)
		}
		if err != nil {
			return fmt.Errorf("pluginDownloadURL: %w", err)
		}
	}
	switch version := strings.TrimPrefix(o.Version, "v"); {
	case ch.Versions == nil, o.Version != "" && slices.Contains(ch.Versions, version):
	case o.Version != "":
		return fmt.Errorf("version %s of package %q is not permitted; `permissions: packages` has %s", o.Version, plan.PackageOf(ch.Type), diag.And(ch.Versions))
	case o.Provider == nil && len(ch.Versions) == 1:
		o.Version = ch.Versions[0]
	case o.Provider == nil:
		return fmt.Errorf("package %q requires a version; `permissions: packages` has %s", plan.PackageOf(ch.Type), diag.And(ch.Versions))
	}
	return nil
}
