package dev.sharding.controlplane;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SettingsTests {

	@Test
	void cachesInTheHomeOfTheUser() {
		Settings settings = Settings.from((name) -> null, Map.of());
		assertThat(settings.cache())
			.isEqualTo(Path.of(System.getProperty("user.home"), ".cache", "sharding", "control-plane"));
		assertThat(settings.home(Toolset.CONTROL_PLANE).getParent()).isEqualTo(settings.cache());
		assertThat(settings.home(Toolset.CONTROL_PLANE).getFileName().toString())
			.startsWith("kubernetes-" + Pins.KUBERNETES + "-etcd-" + Pins.ETCD + "-");
		assertThat(settings.assets()).isNull();
		assertThat(settings.download()).isTrue();
		assertThat(settings.go()).isEmpty();
	}

	@Test
	void followsTheCacheFolderOfTheDesktop() {
		assertThat(Settings.from((name) -> null, Map.of("XDG_CACHE_HOME", "/caches")).cache())
			.isEqualTo(Path.of("/caches/sharding/control-plane"));
		assertThat(Settings.from((name) -> null, Map.of("XDG_CACHE_HOME", "relative")).cache())
			.isEqualTo(Settings.from((name) -> null, Map.of()).cache());
	}

	@Test
	void propertyWinsOverVariable() {
		Map<String, String> variables = Map.of(Settings.CACHE_VARIABLE, "/variable", Settings.DOWNLOAD_VARIABLE,
				"true");
		Settings settings = Settings
			.from(Map.of(Settings.CACHE_PROPERTY, "/property", Settings.DOWNLOAD_PROPERTY, "false")::get, variables);
		assertThat(settings.cache()).isEqualTo(Path.of("/property"));
		assertThat(settings.download()).isFalse();
		assertThat(Settings.from((name) -> null, variables).cache()).isEqualTo(Path.of("/variable"));
	}

}
