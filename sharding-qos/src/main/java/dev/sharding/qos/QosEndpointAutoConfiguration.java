package dev.sharding.qos;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

import dev.sharding.internal.kubernetes.qos.Qos;

/**
 * Auto-configuration for the endpoint of the limits on outgoing requests.
 */
@AutoConfiguration(after = QosAutoConfiguration.class)
@ConditionalOnClass(WebEndpoint.class)
public final class QosEndpointAutoConfiguration {

	@Bean
	@ConditionalOnBean(Qos.class)
	@ConditionalOnMissingBean
	QosEndpoint qosEndpoint(Qos qos, ObjectProvider<RulesConfigMap> configMap, ApplicationContext context) {
		// The frameworks that take a future from an endpoint: Spring MVC, and the
		// sharder's.
		return new QosEndpoint(qos, configMap.getIfAvailable(),
				context.containsBean("dispatcherServlet") || context.containsBean("webStack"));
	}

}
