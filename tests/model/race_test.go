//go:build race

package model

var usual = share{histories: 200, mechanism: 1}
