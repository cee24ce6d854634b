package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/**
 * A program that joins a ring and reads one ConfigMap as often as the limits let it.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(World.CopyController.class)
class RollOutShard {

	/* Enough for what one shard may send at most, with the time that an answer takes. */
	private static final int READERS = 8;

	public static void main(String[] args) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(RollOutShard.class)
			.web(WebApplicationType.NONE)
			.run(args);
		KubernetesClient client = context.getBean(KubernetesClient.class);
		for (int i = 0; i < READERS; i++) {
			Thread reader = new Thread(() -> read(context, client));
			reader.start();
		}
	}

	private static void read(ConfigurableApplicationContext context, KubernetesClient client) {
		while (context.isActive()) {
			try {
				client.configMaps().inNamespace("default").withName("counted").get();
			}
			catch (KubernetesClientException ex) {
				// Not now: the limit, or the end.
			}
		}
	}

}
