// Package functions declares the functions of expressions, with their signatures,
// documentation and implementations.
package functions

import (
	"sync"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
)

// Function is one function of the language.
type Function struct {
	*check.Function
	Summary string
	// Example is an expression, and Result its value as JSON.
	Example, Result string
	// PricedOperation has no Run if the function has a predicate, because the virtual machine
	// runs it.
	eval.PricedOperation
}

// All returns all functions of the language, by name.
var All = sync.OnceValue(func() map[string]*Function {
	table := map[string]*Function{}
	for _, g := range groups() {
		for _, f := range g.functions {
			table[f.Name] = f
		}
	}
	return table
})

// group is a section of the documentation.
type group struct {
	title     string
	functions []*Function
}

func groups() []group {
	return []group{
		{"Predicates", predicateFunctions()},
		{"Strings", textFunctions()},
		{"Numbers", numberFunctions()},
		{"Lists", listFunctions()},
		{"Maps, structs and any value", objectFunctions()},
		{"Encodings", encodingFunctions()},
		{"Hashes", hashFunctions()},
		{"Paths and versions", pathFunctions()},
		{"Networks", networkFunctions()},
		{"Times", timeFunctions()},
	}
}

// Prototypes returns the signatures of the functions and methods.
func Prototypes() *check.Functions {
	of := func(table map[string]*Function) map[string]*check.Function {
		out := make(map[string]*check.Function, len(table))
		for name, f := range table {
			out[name] = f.Function
		}
		return out
	}
	return &check.Functions{Named: of(All()), OfTimes: of(MethodsOfTime()), OfDurations: of(MethodsOfDuration())}
}

// Operations returns the implementations of the functions, by name. "method" runs the
// method of a time or a duration that its second argument names.
func Operations() map[string]eval.PricedOperation {
	out := map[string]eval.PricedOperation{"method": {Cost: eval.Flat, Run: opMethod}}
	for name, f := range All() {
		if f.Run != nil {
			out[name] = f.PricedOperation
		}
	}
	return out
}

// def declares a function whose result type does not depend on its arguments. run is
// called with arguments of the types in the signature.
func def(cost eval.Cost, signature, summary, example, result string, run operation) *Function {
	f := &Function{Function: check.NewFunction(signature), Summary: summary, Example: example, Result: result}
	f.Cost = cost
	if run != nil {
		f.Run = bind(f.Function, 0, run)
	}
	return f
}

// runs sets an implementation that checks the types of its arguments. It may receive
// types that the signature does not allow, because the type of an argument is not
// always known at compile time.
func (f *Function) runs(run eval.Operation) *Function {
	f.Run = run
	return f
}

// withType sets a result type that depends on the arguments.
func (f *Function) withType(t func(cl *check.Call) check.TypedPart) *Function {
	f.Typed = t
	return f
}

// predicateFunctions returns the functions that evaluate an expression for each item.
// They have no Run, because the virtual machine implements them.
func predicateFunctions() []*Function {
	return []*Function{
		def(nil, "all(items: list, holds: predicate) bool", "Whether the predicate holds for every item.", `all([1, 2], # > 0)`, `true`, nil),
		def(nil, "any(items: list, holds: predicate) bool", "Whether the predicate holds for some item.", `any([1, 2], # > 1)`, `true`, nil),
		def(nil, "none(items: list, holds: predicate) bool", "Whether the predicate holds for no item.", `none([1, 2], # > 2)`, `true`, nil),
		def(nil, "one(items: list, holds: predicate) bool", "Whether the predicate holds for exactly one item.", `one([1, 2], # > 1)`, `true`, nil),
		def(nil, "filter(items: list, holds: predicate) list", "The items for which the predicate holds.", `filter([1, 2, 3], # > 1)`, `[2,3]`, nil),
		def(nil, "map(items: list, make: predicate) list", "The result of the expression for each item.", `map([1, 2], # * 10)`, `[10,20]`, nil),
		def(eval.Metered, "mapValues(m: map, make: predicate) map", "The map or struct with the result of the expression for each value. In it, # is the value and #key its key.", `mapValues({a: 1, b: 2}, # * 10)`, `{"a":10,"b":20}`, nil),
		def(nil, "find(items: list, holds: predicate) any?", "The first item for which the predicate holds, or null.", `find([1, 2, 3], # > 1)`, `2`, nil),
		def(nil, "findIndex(items: list, holds: predicate) int?", "The index of the first item for which the predicate holds, or null.", `findIndex([1, 2, 3], # > 1)`, `1`, nil),
		def(nil, "findLast(items: list, holds: predicate) any?", "The last item for which the predicate holds, or null.", `findLast([1, 2, 3], # > 1)`, `3`, nil),
		def(nil, "findLastIndex(items: list, holds: predicate) int?", "The index of the last item for which the predicate holds, or null.", `findLastIndex([1, 2, 3], # > 1)`, `2`, nil),
		def(nil, "count(items: list, holds?: predicate) int", "The number of items for which the predicate holds; without a predicate, the number of items that are true.", `count([1, 2, 3], # > 1)`, `2`, nil),
		def(eval.OfItems, "sum(items: list, of?: predicate) number", "The sum of the items, or of the results of the expression for each item.", `sum([{n: 1}, {n: 2}], .n)`, `3`, nil),
		def(nil, "groupBy(items: list, by: predicate) {list}", "The items grouped by the result of the expression, which must be a scalar. The keys are the results as strings.", `groupBy([1, 2, 3], # % 2)`, `{"0":[2],"1":[1,3]}`, nil),
		def(eval.Metered, "sortBy(items: list, by: predicate, order?: string) list", `The items sorted by the result of the expression. The order is "asc" or "desc".`, `sortBy([{n: 2}, {n: 1}], .n)`, `[{"n":1},{"n":2}]`, nil),
		def(nil, "reduce(items: list, make: predicate, start?: any) any", "The last result of the expression, which is evaluated for each item in turn. In it, #acc is the previous result. For the first item, #acc is `start`; without `start`, the first item is the first #acc, and is skipped.", `reduce([1, 2, 3], #acc + #, 0)`, `6`, nil),
	}
}
