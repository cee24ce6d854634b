package dev.sharding.controlplane;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ways to install, in the order in which they are tried: minutes of building come
 * last.
 */
final class Sources {

	private Sources() {
	}

	static Map<String, Source> of(Toolset toolset, Settings settings) {
		Map<String, Source> sources = new LinkedHashMap<>();
		if (toolset == Toolset.CONTROL_PLANE) {
			sources.put("published archive", archive(settings));
		}
		sources.put("go build",
				settings.go()
					.<Source>map((go) -> new GoBuild(go, toolset))
					.orElseGet(() -> failing("no go on the PATH")));
		return sources;
	}

	private static Source archive(Settings settings) {
		if (!settings.download()) {
			return failing("switched off by '" + Settings.DOWNLOAD_PROPERTY + "'");
		}
		if (!libraryIsPresent()) {
			return failing("io.fabric8:kube-api-test is not on the class path");
		}
		return new EnvtestArchive();
	}

	private static boolean libraryIsPresent() {
		try {
			Class.forName("io.fabric8.kubeapitest.binary.BinaryManager", false, Sources.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	private static Source failing(String reason) {
		return (folder, heartbeat) -> {
			throw new IOException(reason);
		};
	}

}
