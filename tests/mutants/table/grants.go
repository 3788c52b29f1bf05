package table

// ofGrants are the mechanisms that keep a spec to what `declprov permissions` says.
func ofGrants() []Mutant {
	const promise = "A spec does what its permissions say"
	row := func(mechanism, file, find, replace, in, test, fails string) Mutant {
		return Mutant{Promise: promise, Mechanism: mechanism, File: file, Find: find, Replace: replace, Package: in, Test: test, Fails: fails}
	}
	return []Mutant{
		row("a default that decides a grant is a part of it", "engine/permissions_compare.go",
			`		return slices.EqualFunc(g.Settings, other.Settings, Setting.equal)`, `		return true`,
			"engine", "TestGrantsBeyond", "config.root"),
		row("programs that are bound less are more", "engine/permissions_compare.go",
			`	case looser(other.Confined, g.Confined):`, `	case false:`,
			"engine", "TestGrantsBeyond", "{run sh"),
		row("what is installed is compared with what was", "cmd/declprov/install_ask.go",
			`	if len(d.More) == 0 {`, `	if len(d.More) >= 0 {`,
			"tests/grants", "TestInstallAsks/no", "asked: false, want true"),
		row("variables of the configuration are listed", "engine/permissions.go",
			`	defer c.impliedVariables()`, ``,
			"engine", "TestVariablesOfTheConfigurationAreListed", "permissions: {}"),
		row("metadata is refused by its own address", "actions/network_dial.go",
			`	for _, p := range specials {
		if p.Contains(addr) {`, `	for _, p := range specials {
		if p.Contains(addr) && false {`,
			"actions", "TestReachable", "fd20:ce::254"),
		row("what is not granted fails in Check", "engine/check.go",
			`	if f.list == nil && !req.HasOld {`, `	if f.list == nil && !req.HasOld && false {`,
			"engine", "TestUngrantedInputs/a_path_elsewhere", "Check refuses"),
		row("what is not granted fails in the preview", "engine/steps.go",
			`	if r.preview {
		if err := r.refuseStep(ctx, s); err != nil {`, `	if r.preview {
		if err := r.refuseStep(ctx, s); err != nil && false {`,
			"engine", "TestUngrantedAnswer/other", "want granted: false"),
		row("what a grant that is not known may cover is not refused", "engine/ungranted.go",
			`		return err == nil && expr.HasUnknown(v)`, `		return err == nil && expr.HasUnknown(v) && false`,
			"engine", "TestUngrantedInputs/a_grant_not_known", "Check refuses"),
		row("a refusal does not show a secret", "engine/ungranted.go",
			`reason: r.mask().Text(reason)})`, `reason: reason})`,
			"engine", "TestUngrantedSecret", "Check:"),
		row("the ssh-agent is granted", "actions/processes.go",
			`	if !p.agent {`, `	if false {`,
			"actions", "TestAgentSocket", "not granted"),
		row("vet sees a step that asks the ssh-agent", "actions/exec/ssh.go",
			`	if agent := n.Get("agent"); agent != nil && (agent.Kind != spec.BoolNode || agent.Text != "false") {`, `	if agent := n.Get("agent"); agent != nil && false {`,
			"tests/grants", "TestAgentIsGranted/not_granted", "vet passes: true"),
		row("credentials of the defaults stay at their origin", "actions/http/owner.go",
			`		return o.defaultsGo(u), nil`, `		return true, nil`,
			"tests/grants", "TestCredentialsBelongToTheirBlock/a_baseURL_of_its_own", "the other server"),
		row("secret headers of the defaults stay at their origin", "actions/http/owner.go",
			`	return !o.defaultsGo(at.url)`, `	return false`,
			"tests/grants", "TestCredentialsBelongToTheirBlock/a_URL_of_its_own", "the other server"),
		row("credentials asked for elsewhere must be listed there", "actions/http/owner.go",
			`	return sameOrigin(o.home, u) || o.asked && lists(o.listed, u)`, `	return sameOrigin(o.home, u) || o.asked`,
			"tests/grants", "TestCredentialsBelongToTheirBlock/asked_for,_and_not_listed", "it fails with"),
		row("the login of the defaults goes to the origin of the defaults", "actions/http/login.go",
			`	if x.call.SourceOf("auth") != actions.Own {`, `	if false {`,
			"tests/grants", "TestCredentialsBelongToTheirBlock/a_login,_at_another_path", "the server of baseURL"),
		row("credentials of a step stay where its author says that it goes", "actions/http/owner.go",
			`	return sameOrigin(o.anchor, u) || lists(o.own, u), nil`, `	return true, nil`,
			"tests/grants", "TestCredentialsBelongToTheirBlock/of_the_step,_to_where_a_value_says", "the other server"),
		row("what finds the token tells logins apart", "actions/http/login.go",
			`, x.lateKey("auth.login.token"), x.lateKey("auth.login.expires")})`, `})`,
			"tests/grants", "TestTokensAreNotShared", "share the token"),
		row("the whole request tells logins apart", "actions/http/auth.go",
			`	all := []any{r.method, r.complete(nil).String(), r.headers, body.Sum(nil)}`, `	all := []any{r.method}`,
			"tests/grants", "TestTokensAreNotShared", "share the token"),
		row("the values that a late expression refers to are in its key", "engine/call.go",
			`		key = append(key, ref.Path, expr.Reveal(r.vars.Values[ref.Path[0]], nil))`, `		key = append(key, ref.Path)`,
			"tests/grants", "TestTokensAreNotShared", "chosen"),
	}
}
