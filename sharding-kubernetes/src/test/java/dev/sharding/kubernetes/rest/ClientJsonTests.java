package dev.sharding.kubernetes.rest;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.sharding.core.lease.RenewalTimings;
import dev.sharding.kubernetes.lease.LeaseClients;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("the next client takes what is prepared")
class ClientJsonTests {

	@Test
	void oneClientTakesThePreparedOne() {
		KubernetesSerialization prepared = ClientJson.prepare();
		assertThat(ClientJson.take()).isSameAs(prepared);
		assertThat(ClientJson.take()).isNotSameAs(prepared).isNotSameAs(ClientJson.take());
	}

	@Test
	void theLeaseClientSharesOursOnly() {
		KubernetesSerialization ours = ClientJson.take();
		try (KubernetesClient client = builder().withKubernetesSerialization(ours).build();
				KubernetesClient leases = LeaseClients.create(client, RenewalTimings.DEFAULTS);
				KubernetesClient others = builder().build();
				KubernetesClient leasesOfOthers = LeaseClients.create(others, RenewalTimings.DEFAULTS)) {
			assertThat(leases.getKubernetesSerialization()).isSameAs(ours);
			assertThat(leasesOfOthers.getKubernetesSerialization()).isNotSameAs(others.getKubernetesSerialization())
				.isNotSameAs(ours);
		}
	}

	private static KubernetesClientBuilder builder() {
		return new KubernetesClientBuilder().withConfig(Config.empty());
	}

}
