package dev.sharding.qos.spi;

/**
 * The third piece of a limit: who shares it.
 */
@FunctionalInterface
public interface AccountingGroups {

	/** As the rule says. */
	AccountingGroups STANDARD = (rule, request) -> rule.accounting().keyOf(request);

	/**
	 * Returns the group that a request is accounted to.
	 * @param rule the rule that limits it
	 * @param request the request
	 * @return requests with the same text share one limit; keep the number of texts small
	 */
	String group(QosRule rule, QosRequest request);

}
