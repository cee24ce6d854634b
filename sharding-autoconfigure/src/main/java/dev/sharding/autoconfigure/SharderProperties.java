package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.Set;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The sharder in this application.
 *
 * @param enabled Whether to run a sharder in this application, in one of its replicas at
 * a time.
 * @param leaseNamespace Namespace of the Lease by which all sharders of a cluster elect
 * the one that acts.
 * @param syncPeriod Time between two passes over all objects of a ring.
 * @param concurrentMoves Number of objects of a ring that are patched at a time.
 * @param excludedNamespaces Namespaces whose objects are left alone by rings without a
 * namespace selector.
 */
@ConfigurationProperties("sharding.sharder")
record SharderProperties(@DefaultValue("false") boolean enabled, @DefaultValue("sharding-system") String leaseNamespace,
		@DefaultValue("5m") Duration syncPeriod, @DefaultValue("100") int concurrentMoves, @DefaultValue( {
				"kube-system", "sharding-system" }) Set<String> excludedNamespaces){

	SharderProperties {
		if (syncPeriod.isNegative() || syncPeriod.isZero()) {
			throw new IllegalArgumentException("'syncPeriod' must be positive (is %s)".formatted(syncPeriod));
		}
		if (concurrentMoves < 1) {
			throw new IllegalArgumentException("'concurrentMoves' must be positive (is %d)".formatted(concurrentMoves));
		}
	}

}
