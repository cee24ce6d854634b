package dev.sharding.qos.spi;

/**
 * The second piece of a limit: what a request takes from it.
 */
@FunctionalInterface
public interface CostFunction {

	/** As the rule says. */
	CostFunction STANDARD = (rule, request, measures) -> rule.cost().of(measures);

	/**
	 * Returns what a request costs.
	 * @param rule the rule that limits it
	 * @param request the request
	 * @param measures what is known about it
	 * @return units of the rule's class, 0 or more
	 */
	long cost(QosRule rule, QosRequest request, Measures measures);

}
