/**
 * The job of the example app done by an operator on java-operator-sdk, which can be held
 * at the same places, and that operator without a fence. With a profile it has two more
 * reconcilers, of custom resources. They run in the class path of the example app, with
 * the SDK besides.
 */
@NullMarked
package dev.sharding.demo.operator;

import org.jspecify.annotations.NullMarked;
