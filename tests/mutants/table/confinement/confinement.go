package confinement

import "github.com/declprov/declprov/tests/mutants/mutant"

// ofConfinement are the mechanisms that keep a spec to what it is granted, and
// what it sends to where it belongs.
func ofConfinement() []mutant.Mutant {
	const (
		files    = "A spec touches no file but those that it is granted"
		whole    = "A file is written whole or not at all"
		hosts    = "A spec connects to no host but those that it is granted"
		belongs  = "What is sent goes where the author sends it"
		harmless = "No answer takes more than it may"
	)
	return []mutant.Mutant{
		{
			Promise: files, Mechanism: "what is behind a symbolic link is asked about again",
			File: "actions/sys/files/walk.go",
			Find: `		r, err := w.files.findRule(w.access, abs, via)`,
			Replace: `		r, err := w.files.findRule(w.access, abs, via)
		if err != nil && via != "" {
			r, err = grant.PathRule{Base: "/", Root: "/"}, nil
		}`,
			Package: "actions/sys/files", Test: "TestEscapes", Fails: "can be opened",
		},
		{
			Promise: whole, Mechanism: "the new content takes the place of the old in one step",
			File: "actions/sys/files/write.go",
			Find: `		err = renameOver(s, tmp.name)`,
			Replace: `		_ = s.dir.Remove(s.base)
		err = renameOver(s, tmp.name)`,
			Package: "tests/crash", Test: "TestAFileIsOnDiskBeforeItHasItsName", Fails: "the old file is removed",
		},
		{
			Promise: whole, Mechanism: "the content is synced before the file has its name",
			File:    "actions/sys/files/write.go",
			Find:    `	if err := tmp.file.Sync(); err != nil {`,
			Replace: `	if err := ctx.Err(); err != nil {`,
			Package: "tests/crash", Test: "TestAFileIsOnDiskBeforeItHasItsName", Fails: "the order of a write is not",
		},
		{
			Promise: whole, Mechanism: "the name is synced after that",
			File: "actions/sys/files/change.go",
			Find: `	return syncDir(folder)`,
			Replace: `	_ = folder
	return nil`,
			Package: "tests/crash", Test: "TestAFileIsOnDiskBeforeItHasItsName", Fails: "the order of a write is not",
		},
		{
			Promise: hosts, Mechanism: "a name is checked before anything is asked of the network",
			File: "actions/sys/network/network.go",
			Find: `r.Matches(o) })
	if !ok {`,
			Replace: `r.Matches(o) })
	if !ok && false {`,
			Package: "actions/sys/network", Test: "TestNetworkCheck", Fails: "https://api.test for https://evil.test: <nil>",
		},
		{
			Promise: hosts, Mechanism: "a name is checked again where it is dialled",
			File: "actions/sys/network/dial.go",
			Find: `r.Reaches(host, port) })
	if !ok {`,
			Replace: `r.Reaches(host, port) })
	if !ok && false {`,
			Package: "actions/sys/network", Test: "TestDial", Fails: "under [http://127.0.0.1:1]: <nil>",
		},
		{
			Promise: hosts, Mechanism: "the address that a name stands for is checked",
			File: "actions/sys/network/dial.go",
			Find: `			return n.checkAddress(rule, host, resolved)`,
			Replace: `			_ = rule
			return nil`,
			Package: "actions/sys/network", Test: "TestDial", Fails: "under [http://*:*]: <nil>",
		},
		{
			Promise: hosts, Mechanism: "no name stands for a link-local address, as clouds have for their metadata",
			File:    "actions/sys/network/dial.go",
			Find:    `	case addr.IsLinkLocalUnicast() || addr.IsMulticast():`,
			Replace: `	case addr.IsMulticast():`,
			Package: "actions/sys/network", Test: "TestReachable", Fails: "169.254.169.254",
		},
		{
			Promise: hosts, Mechanism: "an address within another one is judged as what it leads to",
			File:    "actions/sys/network/dial.go",
			Find:    `			if classify(netip.AddrFrom4([4]byte(last[12:]))) != public {`,
			Replace: `			if false && len(last) > 0 {`,
			Package: "actions/sys/network", Test: "TestReachable", Fails: "64:ff9b::7f00:1",
		},
		{
			Promise: belongs, Mechanism: "a redirect is refused, unless the author asks for it",
			File:    "actions/http/verdict/judge.go",
			Find:    `Follow: args.Redirects == "same-origin"`,
			Replace: `Follow: true`,
			Package: "actions/http", Test: "TestNoRedirectUnasked", Fails: "went to",
		},
		{
			Promise: belongs, Mechanism: "a redirect to another origin is never followed",
			File:    "actions/http/session/hop.go",
			Find:    `	if !request.SameOrigin(u, h.url) {`,
			Replace: `	if false {`,
			Package: "actions/http", Test: "TestElsewhere", Fails: "another origin",
		},
		{
			Promise: belongs, Mechanism: "credentials go to the origin of baseURL alone",
			File:    "actions/http/session/owner.go",
			Find:    `	return request.SameOrigin(o.defaultBase, u) || o.requested && containsOrigin(o.defaultOrigins, u)`,
			Replace: `	return true`,
			Package: "actions/http", Test: "TestElsewhere", Fails: "the other origin got map",
		},
		{
			Promise: belongs, Mechanism: "so do headers that look like credentials, where a value chose the address",
			File:    "actions/http/session/owner.go",
			Find:    `c.HidesAny("headers."+name) || credentialName().MatchString(name)`,
			Replace: `c.HidesAny("headers."+name)`,
			Package: "actions/http", Test: "TestElsewhere", Fails: "redirect_test.go",
		},
		{
			Promise: belongs, Mechanism: "a value in a path is one segment",
			File:    "actions/http/request/address.go",
			Find:    `			last.text = append(last.text, url.PathEscape(p.Text)...)`,
			Replace: `			last.text = append(last.text, p.Text...)`,
			Package: "actions/http/request", Test: "TestPath", Fails: "address_test.go",
		},
		{
			Promise: belongs, Mechanism: "and never one that leads elsewhere",
			File:    "actions/http/request/address.go",
			Find:    `		case plain == "." || plain == "..":`,
			Replace: `		case false:`,
			Package: "actions/http/request", Test: "TestPath", Fails: "address_test.go",
		},
		{
			Promise: belongs, Mechanism: "the environment's proxy is not used",
			File:    "actions/http/session/transport.go",
			Find:    `		TLSClientConfig: config, TLSHandshakeTimeout: tlsTimeout,`,
			Replace: `		Proxy: http.ProxyFromEnvironment, TLSClientConfig: config, TLSHandshakeTimeout: tlsTimeout,`,
			Package: "actions/http/session", Test: "TestNoProxyOfTheEnvironment", Fails: "the transport uses the environment's proxy",
		},
		{
			Promise: belongs, Mechanism: "a server is known by its certificate",
			File:    "actions/declare/tls.go",
			Find:    `	config.ServerName, config.InsecureSkipVerify = s.ServerName, s.Insecure`,
			Replace: `	config.ServerName, config.InsecureSkipVerify = s.ServerName, true`,
			Package: "actions/http", Test: "TestTLS", Fails: "tls_test.go",
		},
		{
			Promise: harmless, Mechanism: "an answer is read up to maxBytes, decompressed",
			File:    "actions/http/session/session.go",
			Find:    `	if int64(len(data)) > limit {`,
			Replace: `	if false {`,
			Package: "actions/http", Test: "TestBody", Fails: "too_large",
		},
		{
			Promise: harmless, Mechanism: "JSON nests so deep and no deeper",
			File:    "spec/decode/json.go",
			Find:    `	if depth > MaxDepth {`,
			Replace: `	if depth > MaxDepth && false {`,
			Package: "actions/http", Test: "TestBody", Fails: "deep",
		},
		{
			Promise: harmless, Mechanism: "the directory of a zip file is read up to a limit",
			File:    "actions/assets/archive.go",
			Find:    `	if b.left -= int64(len(p)); b.left < 0 {`,
			Replace: `	if b.left -= int64(len(p)); b.left < 0 && false {`,
			Package: "actions/assets", Test: "TestDirectoriesWithoutEnd", Fails: "many.zip",
		},
		{
			Promise: "No process survives its engine", Mechanism: "the kernel kills a command whose supervisor was killed",
			File:    "actions/sys/process/supervisor/guard_linux.go",
			Find:    `unix.F_SETOWN, -group)`,
			Replace: `unix.F_SETOWN, 0*group)`,
			Package: "actions/sys/process/supervisor", Test: "TestGuardOutlivesItsProcess", Fails: "the command ended with",
		},
		{
			Promise: "No process survives its engine", Mechanism: "a reaper kills what a supervisor that was killed leaves, in any session",
			File:    "actions/sys/process/supervisor/reaper_linux.go",
			Find:    `	if state, err := supervisor.Wait(); err != nil || !state.Success() {`,
			Replace: `	if state, err := supervisor.Wait(); err != nil && !state.Success() {`,
			Package: "actions/sys/process", Test: "TestProviderAndSupervisorAreKilled", Fails: "left: ",
		},
		{
			Promise: "A parameter is the source of its spec", Mechanism: "no module above the temporary folder counts",
			File:    "cmd/declprov/internal/build/bundle.go",
			Find:    `os.Mkdir(filepath.Join(dir, "cue.mod"), 0o700)`,
			Replace: `os.Mkdir(filepath.Join(dir, "cue.mox"), 0o700)`,
			Package: "cmd/declprov/internal/evaluate", Test: "TestModuleAboveParameters", Fails: "was imported",
		},
		{
			Promise: "A parameter is the source of its spec", Mechanism: "its files stay below their folder",
			File:    "cmd/declprov/internal/parameter/parameter.go",
			Find:    `!filepath.IsLocal(filepath.FromSlash(p))`,
			Replace: `!filepath.IsLocal(filepath.FromSlash(p)) && false`,
			Package: "cmd/declprov/internal/parameter", Test: "TestHostileParameters/above", Fails: "expected one with",
		},
		{
			Promise: "A parameter is the source of its spec", Mechanism: "it is unpacked up to a limit",
			File:    "cmd/declprov/internal/parameter/parameter.go",
			Find:    `io.LimitReader(r, maxSize+1)`,
			Replace: `io.LimitReader(r, 1<<40)`,
			Package: "cmd/declprov/internal/parameter", Test: "TestHostileParameters/a_bomb", Fails: "MiB",
		},
	}
}
