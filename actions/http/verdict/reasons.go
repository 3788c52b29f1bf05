package verdict

import (
	"strings"
	"sync"
	"unicode"
)

// A server says in a refusal what is wrong with a value, under the name of its property:
// {"password": ["This password is too short."]}. What is under the name of a secret may also be
// the secret, in a form that nothing recognizes, or one that is known to the server only. So
// a text there is shown only if it consists of words that say what is wrong with a value, and
// has nothing in common with a known secret.

const (
	// longestReason is the maximum length of a text that may be a reason, and mostReasons is how
	// many of a response are examined.
	longestReason = 300
	mostReasons   = 50
	// longestCount is the maximum length of a number in a reason: that of a limit. fewestWords
	// is the minimum count of its words without numbers.
	longestCount = 3
	fewestWords  = 2
	mostCounts   = 3
	// mostPunctuation is the maximum length of the punctuation around a word.
	mostPunctuation = 3
)

// isReason reports whether a text under the name of a secret in a refusal is only the reason.
func (l *learner) isReason(name, text string) bool {
	if l.reasons++; l.reasons > mostReasons || len(text) > longestReason || !consistsOfReasons(name, text) {
		return false
	}
	return l.call.Resembles != nil && !l.call.Resembles(text)
}

// consistsOfReasons reports whether all words of a text are those of a reason, or of the name of the property.
func consistsOfReasons(name, text string) bool {
	own := map[string]bool{}
	for _, word := range splitWords(splitCapitals(name)) {
		own[word] = true
	}
	words, counts := 0, 0
	for _, word := range splitWords(text) {
		switch {
		case isCount(word):
			counts++
		case reasonWords()[word] || own[strings.Trim(word, "'\"`")]:
			words++
		default:
			return false
		}
	}
	return words >= fewestWords && counts <= mostCounts
}

// splitWords returns the words of a text in lower case, without the punctuation that ends clauses. A word with
// anything else, such as quotes or a colon that may introduce a value, stays as it is.
func splitWords(text string) []string {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "’", "'"), func(r rune) bool { return unicode.IsSpace(r) || r == '_' || r == '-' })
	for i, word := range words {
		bare := strings.TrimRight(strings.TrimPrefix(word, "("), ".,;!)")
		lower := strings.ToLower(bare)
		if len(word)-len(bare) <= mostPunctuation && bare != "" && (bare == lower || bare[1:] == lower[1:] || bare == strings.ToUpper(bare)) {
			words[i] = lower
		}
	}
	return words
}

// splitCapitals separates the words of a name such as apiToken.
func splitCapitals(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isCount(word string) bool {
	return word != "" && len(word) <= longestCount && strings.Trim(word, "0123456789") == ""
}

// reasonWords are the words of which validators make their messages (those of Django, Rails, Laravel, ASP.NET, Spring,
// JSON Schema and others, in English).
var reasonWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(reasonText) {
		set[word] = true
	}
	return set
})

const reasonText = `
a an the this that these those it its your you we any some all each every no none one two three four five six seven eight nine ten

is are was were be been being has have had do does did can could may might must shall should will would need needs
isn't aren't wasn't can't cannot couldn't doesn't don't didn't hasn't haven't mustn't shouldn't won't not never only also already
and or but nor if unless when because than then as at by for from in into of on to too very with without within between
before after again about under over up either neither both same other another different new old current previous last first

field fields value values attribute property parameter input key keys token tokens secret secrets password passwords passphrase
passcode pin code credential credentials header username user name email mail address account login string text number
integer boolean list object array type format length size characters character chars char letters letter digits digit numbers
symbol symbols bytes byte bits words word lowercase uppercase lower upper case numeric alphanumeric alphabetic special
ascii unicode whitespace space spaces blank empty null

greater larger lesser short long longer shorter weak strong stronger simple common commonly used use guess guessable easily easy similar equal equals
match matches matching mismatch different identical same unique taken exists exist existing found unknown recent recently reuse reused
expired expires expire invalid valid required missing incorrect correct wrong bad illegal malformed unsupported supported
unacceptable acceptable allowed forbidden permitted prohibited rejected refused accepted denied breached compromised leaked
pwned data breach dictionary entirely contain contains containing consist consists include includes including start starts begin
begins end ends least most more less fewer minimum maximum min max limit exceed exceeds exceeded range non
meet meets satisfy satisfies requirement requirements policy policies complexity rule rules strength check checks failed fails fail
validation error errors ensure please enter provide provided provides specify specified set choose select sure try confirm confirmation
change changed changes update updated read write written only readonly immutable create created sent given got expected
`
