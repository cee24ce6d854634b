/**
 * An operator of java-operator-sdk whose replicas share the work: the shard's Lease says when it runs, the shard's label on
 * which objects. Nothing else of the starter is used.
 */
package com.example.josdk;
