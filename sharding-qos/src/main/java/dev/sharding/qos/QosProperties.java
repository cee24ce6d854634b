package dev.sharding.qos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.sharding.internal.kubernetes.qos.Exemption;
import dev.sharding.internal.kubernetes.qos.QosOptions;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.Subject;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits on the requests that this application sends to the API server.
 *
 * @param enabled Whether requests are limited.
 * @param builtInRules Whether the built-in rules are active: large lists without a page
 * size, and writes of Events when storage is nearly full.
 * @param remembered How many shapes of requests are remembered to predict what they cost,
 * at least 1.
 * @param unknownItems How many objects a list is predicted to read while nobody could
 * count those of its resource, not negative.
 * @param countPeriod How often the objects of a resource are counted anew while lists of
 * it are made, from 1 ms to a day.
 * @param storageQuota Storage quota of the API server's etcd, not negative; unless set,
 * storage never counts as full.
 * @param storagePeriod How often the size of the storage is read from the API server's
 * metrics, from 1 ms to a day.
 * @param membershipPeriod How often the number of available shards is read, if a limit is
 * that of the ring, from 1 ms to a day.
 * @param exempt Requests that no rule limits.
 * @param configMap The ConfigMap with the rules of all replicas.
 * @param classes Classes by name: how fast requests may go.
 * @param rules Rules by name: which requests are limited by which class.
 */
@ConfigurationProperties("sharding.qos")
record QosProperties(@DefaultValue("false") boolean enabled, @DefaultValue("true") boolean builtInRules,
		@DefaultValue("1024") int remembered, @DefaultValue("2000") long unknownItems,
		@DefaultValue("1m") Duration countPeriod, @Nullable DataSize storageQuota,
		@DefaultValue("30s") Duration storagePeriod, @DefaultValue("10s") Duration membershipPeriod, @DefaultValue( {
				"leases", "probes" }) Set<Exemption> exempt,
		@DefaultValue ConfigMapProperties configMap, @DefaultValue Map<String, QosClassProperties> classes,
		@DefaultValue Map<String, QosRuleProperties> rules){

	QosProperties {
		if (remembered < 1) {
			throw new IllegalArgumentException(
					"'sharding.qos.remembered' must be positive (is %d)".formatted(remembered));
		}
		if (unknownItems < 0) {
			throw new IllegalArgumentException(
					"'sharding.qos.unknown-items' must not be negative (is %d)".formatted(unknownItems));
		}
		requirePeriod("count-period", countPeriod);
		if (storageQuota != null && storageQuota.isNegative()) {
			throw new IllegalArgumentException(
					"'sharding.qos.storage-quota' must not be negative (is %s)".formatted(storageQuota));
		}
		requirePeriod("storage-period", storagePeriod);
		requirePeriod("membership-period", membershipPeriod);
	}

	private static void requirePeriod(String name, Duration period) {
		if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(Duration.ofDays(1)) > 0) {
			throw new IllegalArgumentException(
					"'sharding.qos.%s' must be from 1 ms to a day (is %s)".formatted(name, period));
		}
	}

	QosOptions toOptions() {
		return new QosOptions(this.remembered, this.unknownItems, this.countPeriod, QosOptions.DEFAULTS.latest(),
				(this.storageQuota != null) ? this.storageQuota.toBytes() : 0, this.storagePeriod, this.exempt);
	}

	/** What a class does with requests above its limit. */
	enum Kind {

		/** A mean rate that may be exceeded for a moment. */
		TOKEN_BUCKET,

		/** An even rate, with a queue. */
		LEAKY_BUCKET,

		/** So many units in any window. */
		RUNNING_WINDOW,

		/** So many requests at a time. */
		MAX_IN_FLIGHT

	}

	/** Whose limit it is. */
	enum Scope {

		/** Each shard has the whole limit. */
		SHARD,

		/** The available shards share it. */
		RING

	}

	/**
	 * Where rules are kept that all replicas follow and that outlive them.
	 *
	 * @param name Name of a ConfigMap whose rules are in force instead of these, in all
	 * replicas within seconds; none unless set.
	 * @param namespace Namespace of that ConfigMap; that of the application unless set.
	 */
	@ConfigurationPropertiesSource
	record ConfigMapProperties(@Nullable String name, @Nullable String namespace) {

		String namespace(KubernetesClient client) {
			return Objects.requireNonNullElseGet(this.namespace,
					() -> Objects.requireNonNullElse(client.getConfiguration().getNamespace(), "default"));
		}

	}

	/**
	 * A whole set of rules, as it is written in a ConfigMap.
	 *
	 * @param enabled Whether requests are limited.
	 * @param builtInRules Whether the built-in rules are active.
	 * @param classes Classes by name.
	 * @param rules Rules by name.
	 */
	record RulesProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean builtInRules,
			@DefaultValue Map<String, QosClassProperties> classes, @DefaultValue Map<String, QosRuleProperties> rules) {
	}

	/**
	 * How fast requests may go.
	 *
	 * @param kind Kind of limit.
	 * @param qps Units per second, of a token bucket or a leaky bucket, above 0 and at
	 * most 1,000,000.
	 * @param burst Units that may go at once after a pause, of a token bucket, at least
	 * 1; the qps unless set.
	 * @param queue How many requests may wait, of a leaky bucket, not negative.
	 * @param units Units in any window, of a running window, at least 1.
	 * @param window Length of a running window, from 1 ms to a day.
	 * @param max Requests at a time, at least 1.
	 * @param shared Whether all rules of this class draw from one limit, rather than each
	 * from its own.
	 */
	@ConfigurationPropertiesSource
	record QosClassProperties(Kind kind, @Nullable Double qps, @Nullable Long burst, @DefaultValue("100") int queue,
			@Nullable Long units, @Nullable Duration window, @Nullable Integer max,
			@DefaultValue("false") boolean shared) {
	}

	/**
	 * Which requests are limited.
	 *
	 * @param enabled Whether the rule is active.
	 * @param priority From 1 to 100; of all rules that match the highest applies.
	 * @param subjects Names by kind of subject; every caller unless set.
	 * @param paths Parts of the API, for example /api/v1/namespaces/default/pods or
	 * /registry/pods; the whole API unless set.
	 * @param operations Operations; all unless set.
	 * @param conditions Thresholds by measure, from 0, and of a share to 1; all of them
	 * must be exceeded.
	 * @param qosClass Name of the class that limits.
	 * @param cost What a request takes from the limit.
	 * @param accounting Who shares the limit.
	 * @param scope Whether each shard has the limit or all shards of the ring share it.
	 * @param ring Name of the ring whose shards share it, with scope ring; that of the
	 * application unless set.
	 * @param maxWait How long a request may wait, at most a day; 0 rejects it at once.
	 */
	@ConfigurationPropertiesSource
	record QosRuleProperties(@DefaultValue("true") boolean enabled, int priority,
			@DefaultValue Map<Subject.Kind, List<String>> subjects, @DefaultValue List<String> paths,
			@DefaultValue Set<Operation> operations, @DefaultValue Map<Measure, Double> conditions, String qosClass,
			@DefaultValue("requests") Cost cost, @DefaultValue("rule") Accounting accounting,
			@DefaultValue("shard") Scope scope, @Nullable String ring, @DefaultValue("10s") Duration maxWait) {
	}

}
