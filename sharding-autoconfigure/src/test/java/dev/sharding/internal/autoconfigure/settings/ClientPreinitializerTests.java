package dev.sharding.internal.autoconfigure.settings;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ClientPreinitializerTests {

	@Test
	void isFoundAndNeedsNoCluster() {
		List<BackgroundPreinitializer> found = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(BackgroundPreinitializer.class);
		assertThat(found).hasAtLeastOneElementOfType(ClientPreinitializer.class);
		assertThatNoException().isThrownBy(() -> new ClientPreinitializer().preinitialize());
	}

}
