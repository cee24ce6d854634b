/**
 * An operator of java-operator-sdk, as its documentation has it. Its replicas share the work because of one dependency and
 * three lines of YAML.
 */
package com.example.josdk;
