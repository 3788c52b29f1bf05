package foreign

import (
	"fmt"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec/diag"
)

// Name is the translation of a name: the language's own, or "" if there is none, and the remedy. A key that
// is one of another block here has the name Inner within the key Within.
type Name struct{ Own, Remedy, Within, Inner string }

// attributes are the attributes of other tools.
var attributes = sync.OnceValue(func() map[string]Name {
	return map[string]Name{
		"forcenew": {Own: "replace"}, "immutable": {Own: "replace"}, "requiresreplace": {Own: "replace"}, "createonly": {Own: "replace"}, "replaceonchanges": {Own: "replace"},
		"sensitive": {Own: "secret"}, "password": {Own: "secret"}, "masked": {Own: "secret"}, "private": {Own: "secret"},
		"writeonly": {Own: "noRead"}, "ignoreread": {Own: "noRead"},
		"description": {Own: "doc"}, "desc": {Own: "doc"}, "comment": {Own: "doc"},
		"json": {Own: "wire"}, "alias": {Own: "wire"}, "serializedname": {Own: "wire"},
		"unique": {Own: "set"}, "obsolete": {Own: "deprecated"}, "environ": {Own: "env"}, "envvar": {Own: "env"}, "getenv": {Own: "env"},
		"optional":   {Remedy: "For an optional property, add ? to its name: `name?: string`."},
		"nullable":   {Remedy: "For an optional property, add ? to its name: `name?: string`. If null differs from absence: `name: null | string`."},
		"required":   {Remedy: "A property without ? and without a default is required. Remove the attribute."},
		"computed":   {Remedy: "Move the property to `outputs`. If the program may set it, too, keep it in `inputs` as well, with ?."},
		"readonly":   {Remedy: "Move the property to `outputs`."},
		"output":     {Remedy: "Move the property to `outputs`."},
		"pattern":    {Remedy: "Write the pattern in the type: =~\"^[a-z]+$\"."},
		"enum":       {Remedy: "Write the values in the type: \"a\" | \"b\"."},
		"min":        {Remedy: "Write the bound in the type: int & >=1."},
		"max":        {Remedy: "Write the bound in the type: int & <=10."},
		"validate":   {Remedy: "Write the rule in the type, as in int & >=1 or =~\"^[a-z]+$\", or in `checks`."},
		"minlength":  {Remedy: "Write it in the type: strings.MinRunes(1)."},
		"maxlength":  {Remedy: "Write it in the type: strings.MaxRunes(10)."},
		"stability":  {Own: "stable"},
		"unordered":  {Own: "set"},
		"identifier": {Remedy: "Write the id of the resource: `id: \"${inputs.name}\"`."},
	}
})

// Attribute translates the name of an attribute.
func Attribute(name string) (Name, bool) {
	n, ok := attributes()[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
	if ok && n.Remedy == "" {
		n.Remedy = fmt.Sprintf("Write @%s.", n.Own)
	}
	return n, ok
}

// keys are the keys of other tools, by the block in which they occur (see block.Block.What).
var keys = sync.OnceValue(func() map[string]map[string]Name {
	return map[string]map[string]Name{
		"a spec": {
			"resource": {Own: "resources"}, "variables": {Own: "config"}, "settings": {Own: "config"}, "configuration": {Own: "config"}, "parameters": {Own: "config"},
			"provider": {Own: "name"}, "id": {Own: "name"}, "title": {Own: "displayName"}, "definitions": {Own: "types"}, "schemas": {Own: "types"}, "models": {Own: "types"},
			"datasources": {Own: "functions"}, "modules": {Own: "components"}, "scopes": {Own: "permissions"}, "capabilities": {Own: "permissions"},
			"baseurl":    {Remedy: "Write `http: baseURL: \"…\"`."},
			"endpoint":   {Remedy: "Write `http: baseURL: \"…\"`."},
			"auth":       {Remedy: "Write `http: auth: …`."},
			"headers":    {Remedy: "Write `http: headers: {…}`."},
			"env":        {Remedy: "Declare a setting that is read from the environment: `config: token: string @env(TOKEN)`."},
			"jobs":       {Remedy: "A spec has `resources`, each with the operations create, read, update and delete."},
			"apiversion": {Remedy: "Write `name` and `version`."},
			"kind":       {Remedy: "Write `resources: Name: {…}`."},
		},
		"a resource": {
			"properties": {Own: "inputs"}, "schema": {Own: "inputs"}, "arguments": {Own: "inputs"}, "args": {Own: "inputs"}, "params": {Own: "inputs"}, "parameters": {Own: "inputs"},
			"props": {Own: "inputs"}, "attributes": {Own: "inputs"}, "fields": {Own: "inputs"}, "variables": {Own: "inputs"}, "requiredinputs": {Own: "inputs"}, "spec": {Own: "inputs"},
			"status": {Own: "outputs"}, "computed": {Own: "outputs"}, "exports": {Own: "outputs"}, "results": {Own: "outputs"}, "returns": {Own: "return"},
			"post": {Own: "create"}, "apply": {Own: "create"}, "add": {Own: "create"}, "insert": {Own: "create"},
			"get": {Own: "read"}, "refresh": {Own: "read"}, "fetch": {Own: "read"}, "show": {Own: "read"},
			"put": {Own: "update"}, "patch": {Own: "update"}, "modify": {Own: "update"}, "change": {Own: "update"}, "edit": {Own: "update"},
			"destroy": {Own: "delete"}, "remove": {Own: "delete"}, "uninstall": {Own: "delete"},
			"identifier": {Own: "id"}, "key": {Own: "id"}, "primarykey": {Own: "id"}, "importer": {Own: "import"}, "importid": {Own: "import"},
			"validation": {Own: "checks"}, "validations": {Own: "checks"}, "validate": {Own: "checks"}, "preconditions": {Own: "checks"}, "rules": {Own: "checks"},
			"lookup": {Own: "find"}, "query": {Own: "find"}, "deprecationmessage": {Own: "deprecated"}, "functions": {Own: "methods"},
			"deletebeforereplace": {Remedy: "Write `diff: deleteBeforeReplace: true`.", Within: "diff", Inner: "deleteBeforeReplace"}, "replaceonchanges": {Remedy: "Mark the inputs @replace()."}, "forcenew": {Remedy: "Mark the inputs @replace()."},
			"ignorechanges": {Remedy: "The program sets it. For an input that the API changes itself, write @noRead()."}, "protect": {Remedy: "The program sets it."}, "retainondelete": {Remedy: "To keep the object of a resource that is deleted, write `delete: null`."},
			"lifecycle": {Remedy: "Options such as `protect` and `ignoreChanges` are set by the program. A change of an input that is @replace() replaces the resource."},
			"dependson": {Remedy: "Programs set dependencies. In a component, write `options: dependsOn: […]` on the child."},
			"timeouts":  {Remedy: "Write `timeout` on a step. Programs may set `customTimeouts`."},
			"type":      {Remedy: "The key of the resource is its name: `resources: Pet: {…}`."},
			"name":      {Remedy: "The key of the resource is its name: `resources: Pet: {…}`."},
			"required":  {Remedy: "A property without ? and without a default is required."},
		},
		"a step": {
			"when": {Own: "if"}, "condition": {Own: "if"}, "onlyif": {Own: "if"},
			"foreach": {Own: "forEach"}, "loop": {Own: "forEach"}, "each": {Own: "forEach"}, "withitems": {Own: "forEach"}, "for": {Own: "forEach"}, "repeat": {Own: "forEach"},
			"id": {Own: "as"}, "name": {Own: "as"}, "register": {Own: "as"}, "alias": {Own: "as"}, "label": {Own: "as"},
			"poll": {Own: "until"}, "polluntil": {Own: "until"}, "wait": {Own: "until"}, "waiter": {Own: "until"}, "retryuntil": {Own: "until"}, "waitfor": {Own: "until"}, "waituntil": {Own: "until"}, "while": {Remedy: "Write the condition at which the step ends: `until: \"${…}\"`."},
			"interval": {Own: "every"}, "delay": {Own: "every"}, "pollinterval": {Own: "every"}, "retries": {Own: "retry"},
			"rollback": {Own: "onFailure"}, "undo": {Own: "onFailure"}, "onerror": {Own: "onFailure"}, "catch": {Own: "onFailure"}, "compensate": {Own: "onFailure"},
			"mutex": {Own: "lock"}, "concurrency": {Own: "lock"}, "message": {Own: "progress"}, "error": {Own: "fail"}, "failif": {Own: "fail"}, "failedwhen": {Own: "fail"},
			"changedwhen":     {Remedy: "Remove it. For a program that changes nothing, write `exec: effect: \"none\"`."},
			"run":             {Remedy: "Write `exec: command: [\"program\", \"argument\"]`, or `exec: shell: \"…\"` for a shell."},
			"cmd":             {Remedy: "Write `exec: command: [\"program\", \"argument\"]`."},
			"command":         {Remedy: "Write `exec: command: [\"program\", \"argument\"]`."},
			"shell":           {Remedy: "Write `exec: shell: \"…\"`."},
			"script":          {Remedy: "Write `exec: shell: \"…\"`."},
			"uses":            {Remedy: "A step has one action of the families exec, file and http: `http: {…}`."},
			"with":            {Remedy: "Write the arguments below the action: `http: {path: \"…\"}`."},
			"action":          {Remedy: "The family of the action is the key: `http: {…}`, `file: write: {…}`."},
			"request":         {Remedy: "Write `http: {…}`."},
			"rest":            {Remedy: "Write `http: {…}`."},
			"curl":            {Remedy: "Write `http: {method: \"POST\", path: \"…\"}`."},
			"get":             {Remedy: "Write `http: {method: \"GET\", path: \"…\"}`."},
			"post":            {Remedy: "Write `http: {method: \"POST\", path: \"…\"}`."},
			"put":             {Remedy: "Write `http: {method: \"PUT\", path: \"…\"}`."},
			"patch":           {Remedy: "Write `http: {method: \"PATCH\", path: \"…\"}`."},
			"delete":          {Remedy: "Write `http: {method: \"DELETE\", path: \"…\"}`."},
			"path":            {Remedy: "Write it below the action: `http: path: \"…\"`, or `file: write: path: \"…\"`."},
			"url":             {Remedy: "Write it below the action: `http: url: \"…\"`."},
			"method":          {Remedy: "Write it below the action: `http: method: \"…\"`."},
			"body":            {Remedy: "Write it below the action: `http: json: {…}`."},
			"json":            {Remedy: "Write it below the action: `http: json: {…}`."},
			"headers":         {Remedy: "Write it below the action: `http: headers: {…}`."},
			"dependson":       {Remedy: "Steps run in order. Remove the key."},
			"needs":           {Remedy: "Steps run in order. Remove the key."},
			"continueonerror": {Remedy: "Accept the failure in the action, as in `http: expect: [404]` or `exec: exitCodes: ok: [0, 1]`."},
		},
		"rest": {
			"retry":   {Remedy: "For all requests, write `http: retry: {on: [503]}` at the top of the spec. For one, write its operation next to rest: `read: {http: path: \"…\", retry: {on: [503]}}`."},
			"timeout": {Remedy: "For all requests, write `http: timeout: \"30s\"` at the top of the spec. For one, write its operation next to rest."},
			"headers": {Remedy: "Write `http: headers: {…}` at the top of the spec."}, "query": {Remedy: "Write `http: query: {…}` at the top of the spec."},
			"auth": {Remedy: "Write `http: auth: …` at the top of the spec."}, "baseurl": {Remedy: "Write `http: baseURL: \"…\"` at the top of the spec."},
			"tls": {Remedy: "Write `http: tls: {…}` at the top of the spec."}, "proxy": {Remedy: "Write `http: proxy: \"…\"` at the top of the spec."},
			"until": {Remedy: "Write the operation that waits next to rest, with `until` in its last step."}, "poll": {Remedy: "Write the operation that waits next to rest, with `until` in its last step."},
			"url": {Own: "path"}, "endpoint": {Own: "path"}, "uri": {Own: "path"}, "collection": {Own: "path"}, "itempath": {Own: "object"}, "resourcepath": {Own: "object"}, "objectpath": {Own: "object"},
			"method": {Remedy: "Write the method of an operation by its name: `update: \"PUT\"`."}, "updatemethod": {Own: "update"}, "createmethod": {Own: "create"}, "deletemethod": {Own: "delete"},
			"post": {Own: "create"}, "put": {Own: "update"}, "get": {Own: "read"}, "destroy": {Own: "delete"},
			"schema": {Own: "returns"}, "type": {Own: "returns"}, "model": {Own: "returns"}, "parent": {Own: "under"}, "parents": {Own: "under"},
			"idfield": {Own: "id"}, "idattribute": {Own: "id"}, "key": {Own: "id"}, "identifier": {Own: "id"}, "envelope": {Own: "unwrap"}, "root": {Own: "unwrap"}, "pagination": {Own: "paginate"},
			"notfound": {Own: "gone"}, "lookup": {Own: "find"}, "search": {Own: "find"}, "idempotency": {Own: "idempotencyKey"},
			"ifmatch": {Remedy: "rest has only ifNoneMatch, for a create by PUT. Write the update next to rest, with `ifMatch`."},
		},
		"an ephemeral": {
			"create": {Own: "open"}, "acquire": {Own: "open"}, "issue": {Own: "open"}, "login": {Own: "open"}, "read": {Own: "open"},
			"delete": {Own: "close"}, "revoke": {Own: "close"}, "release": {Own: "close"}, "destroy": {Own: "close"}, "logout": {Own: "close"},
			"update": {Own: "renew"}, "refresh": {Own: "renew"}, "renewat": {Own: "renewAfter"}, "ttl": {Own: "renewAfter"}, "expires": {Own: "renewAfter"}, "expiresin": {Own: "renewAfter"}, "renewevery": {Own: "renewAfter"},
			"properties": {Own: "inputs"}, "args": {Own: "inputs"}, "arguments": {Own: "inputs"}, "parameters": {Own: "inputs"}, "result": {Own: "outputs"}, "returns": {Own: "outputs"},
		},
		"a component": {
			"resources": {Own: "children"}, "resource": {Own: "children"}, "components": {Own: "children"}, "members": {Own: "children"}, "modules": {Own: "children"},
			"properties": {Own: "inputs"}, "args": {Own: "inputs"}, "arguments": {Own: "inputs"}, "parameters": {Own: "inputs"}, "variables": {Own: "inputs"}, "config": {Own: "inputs"},
			"exports": {Own: "return"}, "returns": {Own: "return"}, "output": {Own: "outputs"},
		},
		"a child": {
			"properties": {Own: "inputs"}, "props": {Own: "inputs"}, "args": {Own: "inputs"}, "arguments": {Own: "inputs"}, "parameters": {Own: "inputs"}, "with": {Own: "inputs"}, "spec": {Own: "inputs"},
			"resource": {Own: "type"}, "kind": {Own: "type"}, "token": {Own: "type"}, "condition": {Own: "if"}, "when": {Own: "if"}, "loop": {Own: "forEach"}, "each": {Own: "forEach"}, "opts": {Own: "options"},
			"dependson": {Remedy: "Write `options: dependsOn: […]`."}, "provider": {Remedy: "Write `options: provider: …`."}, "protect": {Remedy: "Write `options: protect: true`."},
			"count": {Remedy: "Write a list or a map: `forEach: \"${…}\"`. For the numbers from 1 to n: `forEach: \"${1..n}\"`."},
		},
		"retry": {
			"count": {Own: "attempts"}, "max": {Own: "attempts"}, "times": {Own: "attempts"}, "maxattempts": {Own: "attempts"}, "retries": {Own: "attempts"}, "limit": {Own: "attempts"},
			"delay": {Own: "backoff"}, "interval": {Own: "backoff"}, "wait": {Own: "backoff"}, "maxdelay": {Own: "maxBackoff"}, "when": {Own: "if"},
			"statuscodes": {Own: "on"}, "statuses": {Own: "on"}, "codes": {Own: "on"},
		},
		"http": {
			"body": {Own: "json"}, "data": {Own: "json"}, "payload": {Own: "json"}, "uri": {Own: "url"}, "endpoint": {Own: "path"}, "verb": {Own: "method"},
			"params": {Own: "query"}, "queryparams": {Own: "query"}, "qs": {Own: "query"}, "searchparams": {Own: "query"}, "header": {Own: "headers"}, "authorization": {Own: "auth"},
			"statuscode": {Own: "expect"}, "statuscodes": {Own: "expect"}, "status": {Own: "expect"}, "expectstatus": {Own: "expect"}, "expectedstatuscodes": {Own: "expect"}, "okcodes": {Own: "expect"}, "validstatuscodes": {Own: "expect"}, "acceptedstatuscodes": {Own: "expect"},
			"expectedstatus": {Own: "expect"}, "successcodes": {Own: "expect"}, "responsetype": {Own: "response"}, "schema": {Own: "returns"}, "type": {Own: "returns"},
			"baseurl": {Own: "baseURL"}, "host": {Own: "baseURL"},
		},
		"exec": {
			"run": {Own: "shell"}, "script": {Own: "shell"}, "cmd": {Own: "command"}, "workingdirectory": {Own: "dir"}, "workdir": {Own: "dir"}, "cwd": {Own: "dir"},
			"changedwhen": {Remedy: "Remove it. For a program that changes nothing, write `effect: \"none\"`."},
			"environment": {Own: "env"}, "input": {Own: "stdin"}, "args": {Remedy: "Write the program and its arguments in one list: `command: [\"program\", \"argument\"]`."},
		},
		"file.write": {
			"filename": {Own: "path"}, "file": {Own: "path"}, "name": {Own: "path"}, "dest": {Own: "path"}, "destination": {Own: "path"}, "target": {Own: "path"},
			"contents": {Own: "content"}, "text": {Own: "content"}, "data": {Own: "content"}, "body": {Own: "content"}, "src": {Own: "source"},
			"permissions": {Own: "mode"}, "filepermission": {Own: "mode"}, "perm": {Own: "mode"}, "force": {Own: "overwrite"},
		},
	}
})

// Suggest adds the remedy to a diagnostic, and the edit that writes the name.
func (n Name) Suggest(d *diag.Diagnostic, given string) {
	d.Detail = strings.TrimSpace(d.Detail + " " + n.Remedy)
	if n.Own != "" {
		d.Replace(given, n.Own)
	}
}

// Method returns the HTTP method that a name stands for.
func Method(name string) (string, bool) {
	switch upper := strings.ToUpper(name); upper {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD":
		return upper, true
	default:
		return "", false
	}
}

// Argument translates an argument with its value, or returns "". The value is in the notation of CUE and YAML.
func Argument(block, name, value string) (own, ownValue string) {
	if block == "exec" && plainName(name) == "changedwhen" && (value == "false" || value == "no") {
		return "effect", `"none"`
	}
	return "", ""
}

// plainName returns a name without its style.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// Key translates a key of a block, which the noun for the block identifies: "a step", "http".
func Key(block, name string) (Name, bool) {
	plain := plainName(name)
	n, ok := keys()[block][plain]
	if !ok && strings.HasPrefix(block, "file.") {
		n, ok = keys()["file.write"][plain]
	}
	if ok && n.Remedy == "" {
		n.Remedy = fmt.Sprintf("Write `%s`.", n.Own)
	}
	return n, ok
}
