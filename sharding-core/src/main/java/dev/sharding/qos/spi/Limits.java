package dev.sharding.qos.spi;

import dev.sharding.internal.core.qos.RingShare;

/**
 * The last piece of a limit: how much it is.
 */
@FunctionalInterface
public interface Limits {

	/** The class, or this shard's part of it if the limit is that of the ring. */
	Limits STANDARD = (rule, defined, parts) -> rule.ringWide() ? RingShare.of(defined, parts) : defined;

	/**
	 * Returns the limit in force. Asked once for each rule when rules or the number of
	 * shards change, and for those that the process begins with on the first request; all
	 * groups of a rule have the same. If it throws, the change is refused.
	 * @param rule the rule
	 * @param defined its class
	 * @param parts into how many {@linkplain RingShare#parts parts} limits of the ring
	 * are divided, at least 1
	 * @return the limit of this process
	 */
	QosClass limit(QosRule rule, QosClass defined, int parts);

}
