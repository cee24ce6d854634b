package dev.sharding.test.spring;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ResourceLoader;

/**
 * A cluster for an application under development, on this machine, without a container
 * engine: a real kube-apiserver and etcd, the CustomResourceDefinitions of the
 * application, its ring and a sharder. The application is the first shard; further ones
 * are processes of their own. A main class among the tests brings it:
 *
 * <pre class="code">
 * SpringApplication.from(GreetingApplication::main).with(DevelopmentCluster.class).run(args);
 * </pre>
 *
 * <p>
 * The kubeconfig of the administrator is written where the log says. A restart of Spring
 * Boot's developer tools keeps the cluster and all that is in it; it ends with the JVM,
 * also by {@code kill -9}. There is no controller manager: nothing collects owned
 * objects, and no Deployment gets Pods. The application acts as the administrator, so
 * that rights are a matter of {@link ShardingTest}.
 *
 * <p>
 * It sets, before application properties and after those of the command line, the system
 * and its environment: {@code sharding.shard-name} (shard-1),
 * {@code sharding.lease.namespace} (default), {@code sharding.definition.apply} and
 * {@code sharding.sharder.enabled}, with a sharder that waits for no election. Developer
 * tools wait until nothing has changed for two seconds, unless they are told otherwise.
 */
@Configuration(proxyBeanMethods = false)
@Import(DevelopmentSettings.class)
@EnableConfigurationProperties(DevelopmentProperties.class)
public class DevelopmentCluster {

	@Bean
	DevelopmentConnection developmentConnection(DevelopmentProperties properties, ResourceLoader resources) {
		return DevelopmentConnection.open(properties, resources);
	}

	@Bean
	ApplicationListener<ApplicationReadyEvent> furtherDevelopmentShards(DevelopmentProperties properties) {
		return (event) -> FurtherShards.start(event, properties);
	}

}
