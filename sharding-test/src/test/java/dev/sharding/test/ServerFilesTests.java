package dev.sharding.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ServerFilesTests {

	@Test
	void writesFilesThatOnlyTheirOwnerReads() throws IOException {
		ServerFiles files = ServerFiles.create(null);
		try {
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.folder())))
				.isEqualTo("rwx------");
			assertThat(files.tokens()).content().startsWith(files.adminToken() + ",admin,");
			assertThat(files.auditPolicy()).isNull();
		}
		finally {
			files.delete();
		}
		assertThat(files.folder()).doesNotExist();
	}

	@Test
	void keepsLogsWhenAsked() throws IOException {
		ServerFiles files = ServerFiles.create(null);
		try {
			Files.writeString(files.folder().resolve("etcd.log"), "last words");
			Files.createDirectory(files.folder().resolve("etcd"));
			files.deleteAllButLogs();
			assertThat(files.folder()).isDirectoryNotContaining((path) -> !path.endsWith("etcd.log"))
				.isNotEmptyDirectory();
		}
		finally {
			files.delete();
		}
	}

	@Test
	void removesFoldersOfJvmsThatAreGone() throws IOException {
		// No process has this number: the kernel's limit is 2^22.
		Path left = Files.createDirectory(
				Path.of(System.getProperty("java.io.tmpdir"), "sharding-control-plane-123456789-" + System.nanoTime()));
		Files.writeString(left.resolve("etcd.log"), "left");
		Path logs = Files.createDirectory(left.resolveSibling(left.getFileName() + "1"));
		Files.writeString(left.resolve("tokens.csv"), "");
		Files.writeString(logs.resolve("etcd.log"), "kept on purpose");
		ServerFiles.create(null).delete();
		assertThat(left).doesNotExist();
		assertThat(logs.resolve("etcd.log")).exists();
		Files.delete(logs.resolve("etcd.log"));
		Files.delete(logs);
	}

	@Test
	void keepsFoldersOfOthers() {
		assertThat(ServerFiles.isLeftBehind("sharding-control-plane-" + ProcessHandle.current().pid() + "-1"))
			.isFalse();
		assertThat(ServerFiles.isLeftBehind("sharding-control-plane-123456789")).isFalse();
		assertThat(ServerFiles.isLeftBehind("sharding-control-plane-mine-1")).isFalse();
		assertThat(ServerFiles.isLeftBehind("another-123456789-1")).isFalse();
	}

}
