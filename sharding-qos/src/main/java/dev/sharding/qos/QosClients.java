package dev.sharding.qos;

import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Limits every client that is a bean, whoever made it.
 */
final class QosClients implements BeanPostProcessor {

	private static final Logger logger = LoggerFactory.getLogger(QosClients.class);

	private final ObjectProvider<RequestThrottle> throttle;

	QosClients(ObjectProvider<RequestThrottle> throttle) {
		this.throttle = throttle;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (!(bean instanceof KubernetesClient client)) {
			return bean;
		}
		if (!ThrottledClient.canLimit(client)) {
			logger.warn("QoS rules do not apply to the client '{}', as {} is not the client of fabric8", beanName,
					bean.getClass().getName());
			return bean;
		}
		return ThrottledClient.of(client, this.throttle.getObject());
	}

}
