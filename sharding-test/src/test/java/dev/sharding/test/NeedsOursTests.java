package dev.sharding.test;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NeedsOursTests {

	@Test
	void methodAsksByItsParameters() throws Exception {
		assertThat(NeedsOurs.test(Asking.class.getDeclaredMethod("kills", ControlPlane.class))).isTrue();
		assertThat(NeedsOurs.test(Asking.class.getDeclaredMethod("lists", KubernetesClient.class))).isFalse();
	}

	@Test
	void classAsksByItsLifeCycle() {
		assertThat(NeedsOurs.test(AskingFirst.class)).isTrue();
		assertThat(NeedsOurs.test(AskingWhenBuilt.class)).isTrue();
		assertThat(NeedsOurs.test(Asking.class)).isFalse();
	}

	static class Asking {

		void kills(ControlPlane controlPlane) {
		}

		void lists(KubernetesClient client) {
		}

	}

	static class AskingFirst {

		@BeforeEach
		void prepare(ControlPlane controlPlane) {
		}

	}

	static class AskingWhenBuilt {

		AskingWhenBuilt(ControlPlane controlPlane) {
		}

	}

}
